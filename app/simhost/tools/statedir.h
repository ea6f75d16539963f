// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The directory that describes one simulated host: PILOTHOUSE_SIM_DIR or /run/pilothouse-sim. gpus.conf in it (or in
// /etc/pilothouse-sim) is lines of `key = value`; README.md lists the keys. Single-threaded programs.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace pilothouse::sim {

[[nodiscard]] std::string stateDirectory();

/// The whole file up to 1 MiB; empty when it cannot be read.
[[nodiscard]] std::string readFile(const std::string &path);

/// Writes beside and renames, so that a reader sees the old or the new text.
bool writeFile(const std::string &path, std::string_view text, unsigned mode = 0644);

[[nodiscard]] std::string trimmed(std::string_view text);
[[nodiscard]] std::vector<std::string> splitAt(std::string_view text, char separator);

/// `fallback` when the text is not a whole number.
[[nodiscard]] long numberOf(std::string_view text, long fallback);

/// Seconds since boot, as /proc/uptime and the start times of processes count them.
[[nodiscard]] double uptimeSeconds();

void sleepMs(long milliseconds);

/// Keys with their values in the file's order; of a key that repeats the last one counts, so that a line can be
/// appended to a host that runs. Lines that start with # are comments.
class Config
{
public:
    static Config parse(std::string_view text);
    /// gpus.conf of the state directory, else of /etc/pilothouse-sim, else empty.
    static Config ofHost();

    [[nodiscard]] std::string value(const std::string &key, const std::string &fallback = {}) const;
    [[nodiscard]] long number(const std::string &key, long fallback) const;
    [[nodiscard]] bool has(const std::string &key) const { return m_values.contains(key); }
    [[nodiscard]] std::vector<std::string> values(const std::string &key) const;
    [[nodiscard]] const std::multimap<std::string, std::string> &all() const { return m_values; }

private:
    std::multimap<std::string, std::string> m_values;
};

} // namespace pilothouse::sim

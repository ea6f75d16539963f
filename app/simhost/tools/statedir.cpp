// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "statedir.h"

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace pilothouse::sim {

std::string stateDirectory()
{
    const char *fromEnvironment = std::getenv("PILOTHOUSE_SIM_DIR");
    return fromEnvironment && *fromEnvironment ? fromEnvironment : "/run/pilothouse-sim";
}

std::string readFile(const std::string &path)
{
    constexpr std::size_t limit = 1u << 20;
    std::string text;
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return text;
    char buffer[8192];
    ssize_t count = 0;
    while (text.size() < limit && (count = read(fd, buffer, sizeof buffer)) > 0)
        text.append(buffer, static_cast<std::size_t>(count));
    close(fd);
    return text;
}

bool writeFile(const std::string &path, std::string_view text, unsigned mode)
{
    const std::string beside = path + ".new" + std::to_string(getpid());
    const int fd = open(beside.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    if (fd < 0)
        return false;
    fchmod(fd, mode);
    const bool whole = write(fd, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    close(fd);
    if (whole && rename(beside.c_str(), path.c_str()) == 0)
        return true;
    unlink(beside.c_str());
    return false;
}

std::string trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos)
        return {};
    const auto last = text.find_last_not_of(" \t\r\n");
    return std::string(text.substr(first, last - first + 1));
}

std::vector<std::string> splitAt(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto end = text.find(separator);
        const std::string part = trimmed(text.substr(0, end));
        if (!part.empty())
            parts.push_back(part);
        if (end == std::string_view::npos)
            break;
        text.remove_prefix(end + 1);
    }
    return parts;
}

long numberOf(std::string_view text, long fallback)
{
    long number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() && !text.empty() ? number
                                                                                     : fallback;
}

double uptimeSeconds()
{
    timespec now = {};
    clock_gettime(CLOCK_BOOTTIME, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void sleepMs(long milliseconds)
{
    if (milliseconds <= 0)
        return;
    timespec left = {milliseconds / 1000, (milliseconds % 1000) * 1000000};
    while (nanosleep(&left, &left) != 0 && errno == EINTR) { }
}

Config Config::parse(std::string_view text)
{
    Config config;
    for (const std::string &line : splitAt(text, '\n')) {
        const auto equals = line.find('=');
        if (line.front() == '#' || equals == std::string::npos)
            continue;
        config.m_values.emplace(trimmed(std::string_view(line).substr(0, equals)),
                                trimmed(std::string_view(line).substr(equals + 1)));
    }
    return config;
}

Config Config::ofHost()
{
    std::string text = readFile(stateDirectory() + "/gpus.conf");
    if (text.empty())
        text = readFile("/etc/pilothouse-sim/gpus.conf");
    return parse(text);
}

std::string Config::value(const std::string &key, const std::string &fallback) const
{
    const auto [begin, end] = m_values.equal_range(key);
    return begin == end ? fallback : std::prev(end)->second;
}

long Config::number(const std::string &key, long fallback) const
{
    return numberOf(value(key), fallback);
}

std::vector<std::string> Config::values(const std::string &key) const
{
    std::vector<std::string> found;
    const auto [begin, end] = m_values.equal_range(key);
    for (auto it = begin; it != end; ++it)
        found.push_back(it->second);
    return found;
}

} // namespace pilothouse::sim

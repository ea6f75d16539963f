// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A person's password for sudo on one host: in memory only, for 15 minutes, then wiped; a wrong one at once. Lives in
// the host's thread, longer than a connection, so that a reconnect within that time asks nobody.

#include <QTimer>

#include <chrono>

namespace pilothouse {

class SudoPassword final
{
public:
    static constexpr std::chrono::milliseconds usualLife = std::chrono::minutes(15);

    explicit SudoPassword(std::chrono::milliseconds life = usualLife);
    ~SudoPassword();
    SudoPassword(const SudoPassword &) = delete;
    SudoPassword &operator=(const SudoPassword &) = delete;

    /// Wipes `password`. What lies behind a line end is no password.
    void keep(QString &password);
    void forget();
    [[nodiscard]] bool isThere() const { return !m_line.isEmpty(); }
    /// As sudo reads it, with the line end; a copy of its own, to be wiped.
    [[nodiscard]] QByteArray line() const;

private:
    const std::chrono::milliseconds m_life;
    QByteArray m_line;
    QTimer m_end;
};

} // namespace pilothouse

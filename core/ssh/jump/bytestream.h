// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Carries bytes one way from a descriptor to a socket, and takes only what the other end takes. Owns neither. Lives in
// a thread with an event loop; destroyed before its descriptors are closed.

#include <QByteArray>
#include <QSocketNotifier>

#include <functional>

namespace pilothouse {

class ByteStream final
{
public:
    /// Both non-blocking. `ended` is called once, by the event loop: nothing more will come, or nobody takes it.
    ByteStream(int from, int to, std::function<void()> ended);
    ByteStream(const ByteStream &) = delete;
    ByteStream &operator=(const ByteStream &) = delete;

    /// Carries on what is there now, without waiting for the event loop.
    void move();
    [[nodiscard]] bool isOver() const { return m_over; }

private:
    [[nodiscard]] bool flush();
    void finish();

    int m_from;
    int m_to;
    std::function<void()> m_ended;
    QByteArray m_bytes;
    bool m_over = false;
    QSocketNotifier m_readable;
    QSocketNotifier m_writable;
};

} // namespace pilothouse

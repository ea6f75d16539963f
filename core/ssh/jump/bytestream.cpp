// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/bytestream.h"

#include <cerrno>

#include <sys/socket.h>
#include <unistd.h>

namespace pilothouse {

namespace {

constexpr qsizetype part = 32 * 1024;
constexpr int mostParts = 4; // then others have their turn

} // namespace

ByteStream::ByteStream(int from, int to, std::function<void()> ended)
    : m_from(from)
    , m_to(to)
    , m_ended(std::move(ended))
    , m_readable(from, QSocketNotifier::Read)
    , m_writable(to, QSocketNotifier::Write)
{
    m_writable.setEnabled(false);
    QObject::connect(&m_readable, &QSocketNotifier::activated, &m_readable, [this] { move(); });
    QObject::connect(&m_writable, &QSocketNotifier::activated, &m_writable, [this] { move(); });
}

/// True when nothing waits.
bool ByteStream::flush()
{
    while (!m_bytes.isEmpty()) {
        const ssize_t sent = ::send(m_to, m_bytes.constData(), static_cast<size_t>(m_bytes.size()), MSG_NOSIGNAL);
        if (sent > 0) {
            m_bytes.remove(0, sent);
        } else if (errno == EAGAIN) {
            return false;
        } else if (errno != EINTR) {
            finish();
            return false;
        }
    }
    return true;
}

void ByteStream::move()
{
    for (int i = 0; i < mostParts && !m_over && flush(); ++i) {
        m_bytes.resize(part);
        const ssize_t count = ::read(m_from, m_bytes.data(), static_cast<size_t>(part));
        m_bytes.resize(qMax(qsizetype(0), qsizetype(count)));
        if (count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR))
            finish();
        if (count <= 0)
            break;
    }
    if (!m_over) {
        m_readable.setEnabled(m_bytes.isEmpty());
        m_writable.setEnabled(!m_bytes.isEmpty());
    }
}

void ByteStream::finish()
{
    if (std::exchange(m_over, true))
        return;
    m_readable.setEnabled(false);
    m_writable.setEnabled(false);
    // The receiver may destroy this: not from inside.
    QMetaObject::invokeMethod(&m_readable, m_ended, Qt::QueuedConnection);
}

} // namespace pilothouse

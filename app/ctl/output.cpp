// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/output.h"

#include <QByteArray>

#include <cerrno>
#include <cstring>
#include <poll.h>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// 0, or the errno.
int writeAll(int fd, const QByteArray &bytes)
{
    qsizetype done = 0;
    while (done < bytes.size()) {
        const ssize_t written = ::write(fd, bytes.constData() + done, size_t(bytes.size() - done));
        if (written >= 0) {
            done += written;
        } else if (errno == EAGAIN) { // somebody made the shared terminal non-blocking
            pollfd wait{fd, POLLOUT, 0};
            ::poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

bool coloursWanted(ColorMode mode)
{
    if (mode != ColorMode::Auto)
        return mode == ColorMode::Always;
    return ::isatty(STDOUT_FILENO) == 1 && qgetenv("NO_COLOR").isEmpty() && qgetenv("TERM") != "dumb";
}

} // namespace

Output::Output(ColorMode mode)
    : Output(mode, ::isatty(STDOUT_FILENO) == 1)
{
}

Output::Output(ColorMode mode, bool terminal)
    : m_colours(coloursWanted(mode))
    , m_terminal(terminal)
{
}

void Output::data(const QString &text)
{
    if (m_state != State::Fine)
        return;
    const int error = writeAll(STDOUT_FILENO, text.toUtf8());
    if (error == EPIPE) {
        m_state = State::ReaderGone;
    } else if (error != 0) {
        m_state = State::Failed;
        m_trouble = u"Standard output cannot be written: %1."_s.arg(QString::fromLocal8Bit(std::strerror(error)));
    }
}

void Output::problem(const QString &text)
{
    prompt(u"pilothousectl: "_s + text + u'\n');
}

void Output::prompt(const QString &text)
{
    (void)writeAll(STDERR_FILENO, text.toUtf8()); // nowhere left to complain
}

QString Output::inked(const QString &text, Ink ink) const
{
    if (!m_colours || ink == Ink::Plain || text.isEmpty())
        return text;
    static constexpr const char16_t *codes[] = {u"", u"1", u"2", u"32", u"33", u"31;1"};
    return u"\033[%1m%2\033[0m"_s.arg(QString::fromUtf16(codes[int(ink)]), text);
}

} // namespace pilothouse

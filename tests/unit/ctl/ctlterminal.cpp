// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/ctl/ctlterminal.h"

#include "tests/unit/ctl/ctlrun.h"

#include <QElapsedTimer>

#include <array>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace pilothouse::test {

CtlTerminal::CtlTerminal(const QString &home)
{
    m_process.setProcessEnvironment(ctlEnvironment(home));
    if (::openpty(&m_master, &m_slave, nullptr, nullptr, nullptr) != 0)
        return;
    ::fcntl(m_master, F_SETFD, FD_CLOEXEC);
    ::fcntl(m_slave, F_SETFD, FD_CLOEXEC);
    const int slave = m_slave;
    m_process.setChildProcessModifier([slave] {
        ::setsid();
        ::ioctl(slave, TIOCSCTTY, 0);
        ::dup2(slave, STDIN_FILENO);
        ::dup2(slave, STDERR_FILENO);
    });
}

CtlTerminal::~CtlTerminal()
{
    if (m_process.state() != QProcess::NotRunning) {
        m_process.kill();
        m_process.waitForFinished(5'000);
    }
    for (const int fd : {m_master, m_slave}) {
        if (fd >= 0)
            ::close(fd);
    }
}

bool CtlTerminal::start(const QStringList &arguments)
{
    m_process.start(ctlProgram(), arguments);
    return m_master >= 0 && m_process.waitForStarted(5'000);
}

void CtlTerminal::readShown(int limitMs)
{
    pollfd ready{m_master, POLLIN, 0};
    if (::poll(&ready, 1, limitMs) != 1)
        return;
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(m_master, buffer.data(), buffer.size());
    if (count > 0)
        m_shown.append(buffer.data(), count);
}

bool CtlTerminal::waitFor(const QByteArray &words, int limitMs)
{
    QElapsedTimer timer;
    timer.start();
    while (timer.elapsed() < limitMs) {
        if (const qsizetype at = m_shown.indexOf(words, m_seen); at >= 0) {
            m_seen = at + words.size();
            return true;
        }
        readShown(100);
    }
    return false;
}

void CtlTerminal::type(const QByteArray &bytes)
{
    (void)!::write(m_master, bytes.constData(), size_t(bytes.size()));
}

int CtlTerminal::end(int limitMs)
{
    const bool ended = m_process.state() == QProcess::NotRunning || m_process.waitForFinished(limitMs);
    readShown(0);
    return ended && m_process.exitStatus() == QProcess::NormalExit ? m_process.exitCode() : -1;
}

bool CtlTerminal::echoes() const
{
    termios terminal = {};
    return ::tcgetattr(m_master, &terminal) == 0 && (terminal.c_lflag & ECHO) != 0;
}

} // namespace pilothouse::test

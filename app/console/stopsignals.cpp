// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/stopsignals.h"

#include <QSocketNotifier>

#include <array>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <unistd.h>

namespace pilothouse {

namespace {

// A handler, not a blocked mask with signalfd: programs that are started inherit a mask, but not a handler.
std::atomic<int> wakeFd{-1};
constexpr std::array numbers{SIGINT, SIGTERM, SIGHUP};

void onSignal(int)
{
    const char byte = 0;
    [[maybe_unused]] const ssize_t written = ::write(wakeFd.load(), &byte, 1);
}

} // namespace

StopSignals::StopSignals(QObject *parent)
    : QObject(parent)
{
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    m_readFd = fds[0];
    m_writeFd = fds[1];
    wakeFd = m_writeFd;
    for (const int number : numbers)
        std::signal(number, onSignal);
    auto *notifier = new QSocketNotifier(m_readFd, QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this] {
        char dropped[16];
        while (::read(m_readFd, dropped, sizeof dropped) > 0) { }
        emit stopRequested();
    });
}

StopSignals::~StopSignals()
{
    for (const int number : numbers)
        std::signal(number, SIG_DFL);
    wakeFd = -1;
    if (m_readFd >= 0) {
        ::close(m_readFd);
        ::close(m_writeFd);
    }
}

} // namespace pilothouse

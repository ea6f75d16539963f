// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/interrupts.h"

#include <array>
#include <atomic>
#include <csignal>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

namespace pilothouse {

namespace {

constexpr std::array endingSignals{SIGINT, SIGTERM, SIGHUP};
constexpr int interruptedExit = 130;

// A signal handler reaches nothing but these.
std::atomic<int> wakeFd = -1;
std::atomic<bool> seen = false;
std::atomic<bool> hidden = false;
termios shownTerminal;

void setTyping(bool shown)
{
    termios terminal = shownTerminal;
    if (!shown)
        terminal.c_lflag &= ~tcflag_t(ECHO | ECHOE | ECHOK | ECHONL);
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal);
}

void handleEnding(int)
{
    if (hidden)
        setTyping(true);
    if (seen.exchange(true))
        ::_exit(interruptedExit);
    const char byte = 1;
    (void)!::write(wakeFd, &byte, 1);
}

/// Ctrl+Z while a secret is typed: the shell gets its echo back, and we take it away again afterwards.
void handleStop(int)
{
    const bool wasHidden = hidden;
    if (wasHidden)
        setTyping(true);
    ::raise(SIGSTOP);
    if (wasHidden)
        setTyping(false);
}

void install(int signal, void (*handler)(int))
{
    struct sigaction action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

} // namespace

Interrupts::Interrupts()
{
    if (::pipe2(m_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return; // signals then end the program as they always do
    m_notifier = std::make_unique<QSocketNotifier>(m_pipe[0], QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] {
        m_notifier->setEnabled(false);
        emit interrupted();
    });
    wakeFd = m_pipe[1];
    for (const int signal : endingSignals)
        install(signal, handleEnding);
}

Interrupts::~Interrupts()
{
    showTyping();
    if (m_notifier) {
        for (const int signal : endingSignals)
            install(signal, SIG_DFL);
    }
    wakeFd = -1;
    m_notifier.reset();
    for (const int fd : m_pipe) {
        if (fd >= 0)
            ::close(fd);
    }
}

bool Interrupts::hideTyping()
{
    if (::tcgetattr(STDIN_FILENO, &shownTerminal) != 0)
        return false;
    hidden = true;
    install(SIGTSTP, handleStop);
    setTyping(false);
    return true;
}

void Interrupts::showTyping()
{
    if (!hidden.exchange(false))
        return;
    setTyping(true);
    install(SIGTSTP, SIG_DFL);
}

} // namespace pilothouse

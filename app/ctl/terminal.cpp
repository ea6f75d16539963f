// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/terminal.h"

#include "app/ctl/interrupts.h"
#include "app/ctl/output.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace pilothouse {

using namespace Qt::StringLiterals;

Terminal::Terminal(Output &output, Interrupts &interrupts)
    : m_output(output)
    , m_interrupts(interrupts)
{
}

bool Terminal::isThere()
{
    return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
}

void Terminal::ask(const QString &prompt, Typing typing, Reply reply)
{
    m_typing = typing;
    m_reply = std::move(reply);
    if (typing == Typing::Hidden && !m_interrupts.hideTyping()) {
        std::exchange(m_reply, {})(std::nullopt); // a secret is never typed in sight
        return;
    }
    m_output.prompt(prompt);
    m_notifier = std::make_unique<QSocketNotifier>(STDIN_FILENO, QSocketNotifier::Read);
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &Terminal::readLine);
}

void Terminal::readLine()
{
    std::array<char, 4096> buffer; // a terminal gives one line at a time
    const ssize_t count = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    m_notifier->setEnabled(false);
    m_notifier.release()->deleteLater(); // we are in its signal
    if (m_typing == Typing::Hidden) {
        m_interrupts.showTyping();
        m_output.prompt(u"\n"_s);
    }
    std::optional<QString> line;
    if (count > 0) {
        const qsizetype length = buffer[size_t(count) - 1] == '\n' ? count - 1 : count;
        line = QString::fromUtf8(buffer.data(), length);
    }
    ::explicit_bzero(buffer.data(), buffer.size());
    std::exchange(m_reply, {})(std::move(line));
}

} // namespace pilothouse

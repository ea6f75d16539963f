// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A private ssh-agent on a socket of its own; ends with the object. For tests only.

#include <QProcess>
#include <QStringList>

namespace pilothouse::test {

class AgentProcess final
{
public:
    AgentProcess() = default;
    ~AgentProcess();
    AgentProcess(const AgentProcess &) = delete;
    AgentProcess &operator=(const AgentProcess &) = delete;

    [[nodiscard]] bool start(const QString &socketPath);
    [[nodiscard]] bool add(const QString &keyFile, const QStringList &options = {});
    /// As ssh-add -x: it then lists nothing and signs nothing.
    [[nodiscard]] bool lock();
    /// Stopped, it takes connections (the kernel does) and answers nothing.
    void setStopped(bool stopped);
    [[nodiscard]] QString socketPath() const { return m_path; }

private:
    [[nodiscard]] bool sshAdd(const QStringList &arguments, const QStringList &environment = {});

    QProcess m_process;
    QString m_path;
};

} // namespace pilothouse::test

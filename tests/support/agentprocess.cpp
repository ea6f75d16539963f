// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/agentprocess.h"

#include <QElapsedTimer>
#include <QFile>
#include <QThread>

#include <csignal>

#include <sys/types.h>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

AgentProcess::~AgentProcess()
{
    if (m_process.state() == QProcess::NotRunning)
        return;
    setStopped(false);
    m_process.terminate();
    m_process.waitForFinished(5'000);
}

bool AgentProcess::start(const QString &socketPath)
{
    m_path = socketPath;
    m_process.start(u"ssh-agent"_s, {u"-D"_s, u"-a"_s, socketPath});
    if (!m_process.waitForStarted(5'000))
        return false;
    QElapsedTimer timer;
    timer.start();
    while (!QFile::exists(socketPath) && timer.elapsed() < 5'000)
        QThread::msleep(5);
    return QFile::exists(socketPath);
}

bool AgentProcess::add(const QString &keyFile, const QStringList &options)
{
    QProcess add;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"SSH_AUTH_SOCK"_s, m_path);
    add.setProcessEnvironment(environment);
    add.start(u"ssh-add"_s, QStringList{u"-q"_s} + options + QStringList{keyFile});
    return add.waitForFinished(10'000) && add.exitCode() == 0;
}

void AgentProcess::setStopped(bool stopped)
{
    ::kill(static_cast<pid_t>(m_process.processId()), stopped ? SIGSTOP : SIGCONT);
}

} // namespace pilothouse::test

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

bool AgentProcess::sshAdd(const QStringList &arguments, const QStringList &more)
{
    QProcess add;
    add.setEnvironment(QProcess::systemEnvironment() + QStringList{u"SSH_AUTH_SOCK="_s + m_path} + more);
    add.start(u"ssh-add"_s, arguments);
    return add.waitForFinished(10'000) && add.exitCode() == 0;
}

bool AgentProcess::add(const QString &keyFile, const QStringList &options)
{
    return sshAdd(QStringList{u"-q"_s} + options + QStringList{keyFile});
}

bool AgentProcess::lock()
{
    QFile ask(m_path + u".ask"_s);
    if (!ask.open(QIODevice::WriteOnly) || ask.write("#!/bin/sh\necho word\n") < 0)
        return false;
    ask.close();
    ask.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
    return sshAdd({u"-x"_s}, {u"SSH_ASKPASS="_s + ask.fileName(), u"SSH_ASKPASS_REQUIRE=force"_s});
}

void AgentProcess::setStopped(bool stopped)
{
    ::kill(static_cast<pid_t>(m_process.processId()), stopped ? SIGSTOP : SIGCONT);
}

} // namespace pilothouse::test

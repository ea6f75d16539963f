// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/lab/testsession.h"

#include "tests/lab/labhost.h"

#include <QTest>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

TestSession::TestSession(ConnectionSettings settings, Person person)
    : m_person(std::move(person))
{
    settings.askPerson = static_cast<bool>(m_person);
    m_session = std::make_unique<SshSession>(std::move(settings));
    QObject::connect(m_session.get(), &SshSession::stateChanged, m_session.get(),
                     [this](SshSession::State, const QString &words) { m_words.append(words); });
    QObject::connect(m_session.get(), &SshSession::ended, m_session.get(), [this](const Error &error) { m_error = error; });
    QObject::connect(m_session.get(), &SshSession::asked, m_session.get(), [this](const Question &question) {
        m_questions.append(question);
        Answer answer = m_person(question);
        answer.questionId = question.id;
        m_session->answer(std::move(answer));
    });
}

TestSession::~TestSession() = default;

bool TestSession::spin(std::chrono::milliseconds limit, const std::function<bool()> &done)
{
    return QTest::qWaitFor(done, int(limit.count()));
}

bool TestSession::attempt(std::chrono::milliseconds limit)
{
    m_session->open();
    spin(limit, [this] { return m_error || m_session->state() == SshSession::State::Ready; });
    return !m_error && m_session->state() == SshSession::State::Ready;
}

bool TestSession::awaitEnd(std::chrono::milliseconds limit)
{
    return spin(limit, [this] { return m_error.has_value(); });
}

ErrorCode TestSession::code() const
{
    return m_error ? m_error->code : ErrorCode::Internal;
}

QByteArray TestSession::story() const
{
    return (m_words.join(u" | "_s) + u" → "_s + (m_error ? nameOf(m_error->code) + u": "_s + sentenceOf(*m_error) : u"no error"_s))
        .toUtf8();
}

ShellRun::ShellRun(ShellProvider &provider)
    : shell(provider.openShell())
{
    QObject::connect(shell.get(), &RemoteShell::opened, shell.get(), [this] { opened = true; });
    QObject::connect(shell.get(), &RemoteShell::received, shell.get(),
                     [this](RemoteShell::Stream stream, const QByteArray &bytes) {
                         (stream == RemoteShell::Stream::Output ? output : errors) += bytes;
                     });
    QObject::connect(shell.get(), &RemoteShell::closed, shell.get(),
                     [this](int status, const QString &signal, const std::shared_ptr<const Error> &reason) {
                         closed = true;
                         exitStatus = status;
                         exitSignal = signal;
                         if (reason)
                             error = *reason;
                     });
}

bool ShellRun::finish(const QByteArray &script, std::chrono::milliseconds limit)
{
    shell->write(script);
    shell->closeInput();
    return QTest::qWaitFor([this] { return closed; }, int(limit.count()));
}

bool ShellRun::awaitOpened(std::chrono::milliseconds limit)
{
    return QTest::qWaitFor([this] { return opened || closed; }, int(limit.count())) && opened;
}

bool ShellRun::awaitOutput(const QByteArray &part, std::chrono::milliseconds limit)
{
    return QTest::qWaitFor([this, part] { return closed || output.contains(part); }, int(limit.count()))
        && output.contains(part);
}

ConnectionSettings settingsFor(const QString &target, const QString &sshConfigFile)
{
    ConnectionSettings settings;
    if (const Result<SshTarget> parsed = parseTarget(target))
        settings.target = *parsed;
    else
        QTest::qFail(qPrintable(u"not a target: "_s + target), __FILE__, __LINE__);
    settings.sshConfigFile = sshConfigFile.isEmpty() ? labFolder() + u"/ssh_config"_s : sshConfigFile;
    settings.connectTimeout = 10s;
    settings.signInTimeout = 10s;
    return settings;
}

} // namespace pilothouse::test

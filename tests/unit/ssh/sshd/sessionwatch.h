// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a session and a shell have signalled, for tests.

#include "core/ssh/sshsession.h"

#include <QTest>

#include <optional>

namespace pilothouse::test {

/// Notes all that a session says. Set `reply` to answer questions.
class SessionWatch final : public QObject
{
public:
    explicit SessionWatch(ConnectionSettings settings)
        : session(std::make_unique<SshSession>(std::move(settings)))
    {
        connect(session.get(), &SshSession::stateChanged, this, [this](SshSession::State state, const QString &said) {
            if (ended)
                late = true;
            if (states.isEmpty() || states.constLast() != state)
                states += state;
            words += said;
        });
        connect(session.get(), &SshSession::asked, this, [this](const Question &question) {
            questions += question;
            if (reply) {
                Answer answer = reply(question);
                answer.questionId = question.id;
                session->answer(std::move(answer));
            }
        });
        connect(session.get(), &SshSession::ended, this, [this](const Error &error) {
            late = late || ended.has_value();
            ended = error;
        });
    }

    [[nodiscard]] bool isReady() const { return session && session->state() == SshSession::State::Ready; }
    [[nodiscard]] QString endText() const
    {
        return ended ? nameOf(ended->code) + QStringLiteral(": ") + ended->detail : QString();
    }

    std::unique_ptr<SshSession> session;
    std::function<Answer(const Question &)> reply;
    QList<SshSession::State> states;
    QStringList words;
    QList<Question> questions;
    std::optional<Error> ended;
    bool late = false; ///< something came after ended()
};

class ShellWatch final : public QObject
{
public:
    explicit ShellWatch(std::unique_ptr<RemoteShell> from)
        : shell(std::move(from))
    {
        connect(shell.get(), &RemoteShell::opened, this, [this] { ++opened; });
        connect(shell.get(), &RemoteShell::received, this, [this](RemoteShell::Stream stream, const QByteArray &bytes) {
            late = late || opened == 0 || closed > 0;
            (stream == RemoteShell::Stream::Output ? output : errors) += bytes;
        });
        connect(shell.get(), &RemoteShell::closed, this,
                [this](int exitStatus, const QString &exitSignal, const std::shared_ptr<const Error> &why) {
                    ++closed;
                    status = exitStatus;
                    signal = exitSignal;
                    error = why;
                });
    }

    std::unique_ptr<RemoteShell> shell;
    int opened = 0;
    int closed = 0;
    bool late = false;
    QByteArray output;
    QByteArray errors;
    int status = -2;
    QString signal;
    std::shared_ptr<const Error> error;
};

} // namespace pilothouse::test

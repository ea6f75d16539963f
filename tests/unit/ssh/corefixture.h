// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A session core over FakeLibssh: no network, no ssh -G. One end of a socket pair stands for the connection; poke()
// makes the core look. For tests only.

#include "core/ssh/sessioncore.h"
#include "tests/unit/ssh/fakelibssh.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <optional>

#include <unistd.h>

namespace pilothouse::test {

// An ed25519 key made for tests alone.
inline const QByteArray testKey = "AAAAC3NzaC1lZDI1NTE5AAAAIHeR1+kMSSVc1VpQyBfQyc7lx7BP6eR4BQfX3L0cWb0B";

class CoreFixture final
{
public:
    using State = SshSession::State;

    CoreFixture()
    {
        api->hostKey = testKey;
        host.alias = host.hostName = QStringLiteral("gpu1");
        host.user = QStringLiteral("root");
        host.identityAgent = QStringLiteral("none");
        host.identityFiles = {folder.filePath(QStringLiteral("id"))};
        host.userKnownHostsFiles = {folder.filePath(QStringLiteral("known_hosts"))};
        settings.target.host = QStringLiteral("gpu1");
        settings.askPerson = false;
        settings.connectTimeout = std::chrono::seconds(5);
        settings.signInTimeout = std::chrono::seconds(5);
        writeFile(QStringLiteral("known_hosts"), "gpu1 ssh-ed25519 " + testKey + '\n');
        writeFile(QStringLiteral("id"), "not read: the key comes from the fake");
        QFile::setPermissions(folder.filePath(QStringLiteral("id")), QFile::ReadOwner | QFile::WriteOwner);
        api->publicKeys.insert(QFile::encodeName(folder.filePath(QStringLiteral("id"))), testKey);
    }
    ~CoreFixture()
    {
        if (core)
            core->abandon();
        if (peerEnd >= 0)
            ::close(peerEnd);
    }

    void writeFile(const QString &name, const QByteArray &content)
    {
        QFile file(folder.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate) && file.write(content) == content.size());
    }
    [[nodiscard]] QByteArray readFile(const QString &name) const
    {
        QFile file(folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    void make()
    {
        SessionSeams seams;
        seams.api = api;
        seams.resolve = [this](const ConnectionSettings &, QObject *context, SessionSeams::Resolved done) {
            QMetaObject::invokeMethod(
                context, [this, done] { done(resolveError ? Result<ResolvedHost>(fail(*resolveError)) : host); },
                Qt::QueuedConnection);
        };
        seams.connect = [this](const Destination &to, QObject *context, const SshConnector::Words &say,
                               const SshConnector::Done &done) {
            destination = to;
            say(QStringLiteral("connecting to 10.0.0.5"));
            QMetaObject::invokeMethod(
                context,
                [this, done] {
                    if (connectError) {
                        done(fail(*connectError));
                        return;
                    }
                    std::array<int, 2> pair{-1, -1};
                    QCOMPARE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair.data()), 0);
                    api->socket = pair[0];
                    peerEnd = pair[1];
                    done(Connection{pair[0], QStringLiteral("10.0.0.5")});
                },
                Qt::QueuedConnection);
        };
        seams.jump = jump;
        core = std::make_shared<SessionCore>(
            settings, seams,
            SessionCore::Listener{[this](State state, const QString &said) {
                                      late = late || ended;
                                      if (states.isEmpty() || states.constLast() != state)
                                          states += state;
                                      words += said;
                                      if (onState)
                                          onState(state, said);
                                  },
                                  [this](const Question &question) {
                                      questions += question;
                                      if (onQuestion)
                                          onQuestion(question);
                                  },
                                  [this](const Error &error) {
                                      late = late || ended;
                                      ended = error;
                                  },
                                  [this](bool waits) { waitsForOthers += waits; }});
    }
    void open()
    {
        make();
        core->open();
    }
    /// Opens and waits until it stands; false when it ended.
    [[nodiscard]] bool becomeReady()
    {
        open();
        return QTest::qWaitFor([&] { return ended || core->state() == State::Ready; }) && !ended;
    }
    /// The peer sends something: the core looks.
    void poke() const { QCOMPARE(::send(peerEnd, "x", 1, MSG_NOSIGNAL), 1); }
    void loseLink()
    {
        api->connected = false;
        poke();
    }
    void answer(const QStringList &replies, bool accepted = true)
    {
        Answer answer;
        answer.questionId = questions.constLast().id;
        answer.accepted = accepted;
        answer.replies = replies;
        core->answer(answer);
    }
    [[nodiscard]] QString endText() const
    {
        return ended ? nameOf(ended->code) + QStringLiteral(": ") + ended->detail : QString();
    }

    QTemporaryDir folder;
    std::shared_ptr<FakeLibssh> api = std::make_shared<FakeLibssh>();
    ConnectionSettings settings;
    ResolvedHost host;
    std::optional<Error> resolveError;
    std::optional<Error> connectError;
    Destination destination;
    int peerEnd = -1;
    std::shared_ptr<SessionCore> core;
    QList<State> states;
    QStringList words;
    QList<Question> questions;
    QList<bool> waitsForOthers;
    std::optional<Error> ended;
    bool late = false;
    std::function<void(State, const QString &)> onState;
    std::function<void(const Question &)> onQuestion;
    decltype(SessionSeams::jump) jump;
};

} // namespace pilothouse::test

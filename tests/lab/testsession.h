// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One sign-in of the product's own SSH session to a lab host, with the person's answers given by the test, and a shell
// on it. In the test's thread. Blocking, for tests alone.

#include "core/ssh/sshsession.h"

#include <QByteArray>
#include <QList>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

namespace pilothouse::test {

using namespace std::chrono_literals;

class TestSession final
{
public:
    using Person = std::function<Answer(const Question &)>;

    explicit TestSession(ConnectionSettings settings, Person person = {});
    ~TestSession();
    TestSession(const TestSession &) = delete;
    TestSession &operator=(const TestSession &) = delete;

    /// Opens and waits until the session is ready (true) or has ended (false).
    bool attempt(std::chrono::milliseconds limit = 30s);
    /// Waits until the session has ended.
    bool awaitEnd(std::chrono::milliseconds limit = 30s);

    [[nodiscard]] SshSession &session() { return *m_session; }
    [[nodiscard]] const QList<Question> &questions() const { return m_questions; }
    [[nodiscard]] const std::optional<Error> &error() const { return m_error; }
    [[nodiscard]] ErrorCode code() const; ///< of error(); Internal when there is none
    [[nodiscard]] QByteArray story() const; ///< for a failure's message

private:
    bool spin(std::chrono::milliseconds limit, const std::function<bool()> &done);

    std::unique_ptr<SshSession> m_session;
    Person m_person;
    QList<Question> m_questions;
    QStringList m_words;
    std::optional<Error> m_error;
};

/// A shell of the session with what came back.
struct ShellRun
{
    explicit ShellRun(ShellProvider &provider);

    /// Writes the script and waits for closed().
    bool finish(const QByteArray &script, std::chrono::milliseconds limit = 15s);
    bool awaitOpened(std::chrono::milliseconds limit = 15s);
    bool awaitOutput(const QByteArray &part, std::chrono::milliseconds limit = 15s);

    std::unique_ptr<RemoteShell> shell;
    bool opened = false;
    bool closed = false;
    int exitStatus = -1;
    QString exitSignal;
    std::optional<Error> error;
    QByteArray output;
    QByteArray errors;
};

/// Settings for a target of the lab's ssh_config, 10 s limits, nobody to ask.
[[nodiscard]] ConnectionSettings settingsFor(const QString &target, const QString &sshConfigFile = {});

} // namespace pilothouse::test

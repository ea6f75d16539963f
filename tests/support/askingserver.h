// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A server on loopback that signs people in by keyboard-interactive alone, with the rounds that a test tells it: what
// no PAM stack of a test machine asks. Made of libssh's server half, in a thread of its own; one connection at a time.

#include <QByteArrayList>
#include <QList>
#include <QString>

#include <atomic>
#include <mutex>
#include <thread>

namespace pilothouse::test {

class AskingServer final
{
public:
    struct Round
    {
        QByteArray name;
        QByteArray instruction;
        QList<std::pair<QByteArray, bool>> prompts; ///< text, echo
    };
    struct Plan
    {
        QList<Round> rounds;  ///< of one attempt
        bool forEver = false; ///< the last round again and again
        int refusals = 0;     ///< attempts that are refused before one is accepted
        int hangUpAfter = -1; ///< in place of that round's answer to the client
    };

    explicit AskingServer(Plan plan);
    ~AskingServer();
    AskingServer(const AskingServer &) = delete;
    AskingServer &operator=(const AskingServer &) = delete;

    [[nodiscard]] bool start(const QString &hostKeyFile);
    [[nodiscard]] quint16 port() const { return m_port; }
    /// What came back, round by round.
    [[nodiscard]] QList<QByteArrayList> answers() const;

private:
    void serve(const QByteArray &hostKeyFile);
    void talk(void *bind, int fd);

    const Plan m_plan;
    int m_listener = -1;
    quint16 m_port = 0;
    std::atomic<int> m_client = -1;
    std::atomic<bool> m_stop = false;
    mutable std::mutex m_mutex;
    QList<QByteArrayList> m_answers;
    std::thread m_thread;
};

} // namespace pilothouse::test

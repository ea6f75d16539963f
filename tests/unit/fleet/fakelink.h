// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A host that exists only in the test: sessions and probers that do as they are told. `FakeHost` is shared by the
// test's thread and the links' threads; all of it is guarded or atomic.

#include "core/base/handoff.h"
#include "core/fleet/linkenvironment.h"

#include <QElapsedTimer>

#include <atomic>
#include <deque>
#include <mutex>

namespace pilothouse::test {

class FakeHost final
{
public:
    /// What becomes of an attempt to connect.
    struct Attempt
    {
        enum class Kind { Ready, Ends, Asks, Hangs } kind = Kind::Ready;
        Error error;         // Ends
        Question question;   // Asks; accepted: ready, declined: ends with Cancelled
        int handshakeMs = 0;
        bool person = false;   // a person had to sign in
        bool onTheWay = false; // Ends: at a jump host
    };
    enum class Probe { Starts, Fails, Hangs };
    enum class Reply { Snapshot, Failure, Nothing };

    static Attempt ready() { return {}; }
    static Attempt ends(ErrorCode code)
    {
        return {Attempt::Kind::Ends, Error{code, QStringLiteral("Told to."), {}}, {}, 0, false, false};
    }
    static Attempt asks(quint64 id);
    static Attempt hangs() { return {Attempt::Kind::Hangs, {}, {}, 0, false, false}; }
    static Attempt signedInByAPerson() { return {Attempt::Kind::Ready, {}, {}, 0, true, false}; }
    static Attempt jumpHostNeedsAPerson()
    {
        return {Attempt::Kind::Ends,
                Error{ErrorCode::SignInNeedsPerson, QStringLiteral("Told to."), {}},
                {},
                0,
                false,
                true};
    }

    // told by the test
    void tell(const Attempt &attempt);            ///< for the next session; without any: ready
    void setAnswer(const Snapshot &snapshot);
    void drop(const Error &error);                ///< ends every live session
    std::atomic<Probe> probe = Probe::Starts;
    std::atomic<Reply> reply = Reply::Snapshot;
    std::atomic<int> replyMs = 0;
    std::atomic<bool> probeAsks = false;          ///< for sudo's password before it starts
    std::atomic<int> handshakeMs = 0;

    // seen by the test
    std::atomic<int> sessionsOpened = 0;
    std::atomic<int> sessionsLive = 0;
    std::atomic<int> probersLive = 0;
    std::atomic<int> handshakes = 0;
    std::atomic<int> mostHandshakes = 0;
    std::atomic<int> overlaps = 0;                ///< requests made while one was running
    std::atomic<int> answersSeen = 0;
    std::atomic<int> sudoAnswersSeen = 0;
    std::atomic<bool> askedPerson = false;        ///< of the last session's settings
    std::atomic<bool> probeAskedPerson = false;
    [[nodiscard]] QList<Depth> requests() const;
    [[nodiscard]] QList<qint64> requestTimes() const; ///< ms since the host was made

    [[nodiscard]] ProbeSettings probeSettings() const; ///< with which the next request is made

    // for the fakes
    [[nodiscard]] Attempt nextAttempt();
    [[nodiscard]] SnapshotPtr answer(Depth depth, const QString &target) const;
    void noteRequest(Depth depth);
    void noteSettings(const ProbeSettings &settings);
    void addSession(const Handoff<Error>::Sender &killer);

private:
    mutable std::mutex m_mutex;
    QElapsedTimer m_clock = [] { QElapsedTimer clock; clock.start(); return clock; }();
    std::deque<Attempt> m_attempts;
    Snapshot m_answer;
    QList<Depth> m_requests;
    ProbeSettings m_settings;
    QList<qint64> m_times;
    std::vector<Handoff<Error>::Sender> m_killers;
};

/// Quick times: retries after 20 to 160 ms.
[[nodiscard]] LinkEnvironment fakeEnvironment(const std::shared_ptr<FakeHost> &host, int places = 16);

} // namespace pilothouse::test

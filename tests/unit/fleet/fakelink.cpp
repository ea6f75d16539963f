// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/fleet/fakelink.h"

#include <QTimer>

namespace pilothouse::test {

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;

namespace {

class FakeSession final : public LinkSession
{
public:
    explicit FakeSession(std::shared_ptr<FakeHost> host)
        : m_host(std::move(host))
        , m_killed([this](const Error &error) { end(error); })
    {
        ++m_host->sessionsLive;
        m_host->addSession(m_killed.sender());
    }
    ~FakeSession() override
    {
        leaveHandshake();
        --m_host->sessionsLive;
    }
    void open() override
    {
        ++m_host->sessionsOpened;
        m_attempt = m_host->nextAttempt();
        m_handshaking = true;
        m_host->mostHandshakes = std::max(++m_host->handshakes, m_host->mostHandshakes.load());
        emit progressed(u"connecting"_s);
        if (m_attempt.kind != FakeHost::Attempt::Kind::Hangs)
            QTimer::singleShot(m_host->handshakeMs.load(), this, [this] { proceed(); });
    }
    void close() override { end(Error{ErrorCode::Cancelled, {}, {}}); }
    void answer(const Answer &answer) override
    {
        if (answer.questionId != m_attempt.question.id)
            return;
        ++m_host->answersSeen;
        if (answer.accepted)
            becomeReady();
        else
            end(Error{ErrorCode::Cancelled, {}, {}});
    }
    [[nodiscard]] QString peer() const override { return u"root@10.0.0.5:22"_s; }
    [[nodiscard]] bool neededPerson() const override { return m_attempt.person; }
    [[nodiscard]] bool endedOnTheWay() const override { return m_attempt.onTheWay; }

private:
    void proceed()
    {
        if (m_ended)
            return;
        switch (m_attempt.kind) {
        case FakeHost::Attempt::Kind::Ready:
            becomeReady();
            return;
        case FakeHost::Attempt::Kind::Ends:
            end(m_attempt.error);
            return;
        case FakeHost::Attempt::Kind::Asks:
            leaveHandshake();
            emit asked(m_attempt.question);
            return;
        case FakeHost::Attempt::Kind::Hangs:
            return;
        }
    }
    void becomeReady()
    {
        leaveHandshake();
        emit ready();
    }
    void end(const Error &error)
    {
        if (std::exchange(m_ended, true))
            return;
        leaveHandshake();
        emit ended(error);
    }
    void leaveHandshake()
    {
        if (std::exchange(m_handshaking, false))
            --m_host->handshakes;
    }

    std::shared_ptr<FakeHost> m_host;
    FakeHost::Attempt m_attempt;
    bool m_ended = false;
    bool m_handshaking = false;
    Handoff<Error> m_killed;
};

class FakeProber final : public LinkProber
{
public:
    FakeProber(std::shared_ptr<FakeHost> host, const ProbeSettings &settings)
        : m_host(std::move(host))
        , m_target(settings.target)
    {
        ++m_host->probersLive;
        m_host->noteSettings(settings);
    }
    ~FakeProber() override { --m_host->probersLive; }
    void start() override
    {
        QTimer::singleShot(0, this, [this] {
            const FakeHost::Probe probe = m_host->probe;
            if (probe == FakeHost::Probe::Starts && m_host->probeAsks) {
                Question question;
                question.id = 1;
                question.kind = Question::Kind::SudoPassword;
                emit asked(question);
            } else if (probe == FakeHost::Probe::Starts)
                emit started();
            else if (probe == FakeHost::Probe::Fails)
                emit failed(Error{ErrorCode::ShellUnusable, u"Told to."_s, {}});
        });
    }
    void answer(const Answer &answer) override
    {
        if (answer.questionId == 1) {
            ++m_host->sudoAnswersSeen;
            emit started();
        }
    }
    void setSettings(const ProbeSettings &settings) override { m_host->noteSettings(settings); }
    void requestSnapshot(Depth depth) override
    {
        m_host->noteRequest(depth);
        if (std::exchange(m_busy, true))
            ++m_host->overlaps;
        if (m_host->reply == FakeHost::Reply::Nothing)
            return;
        QTimer::singleShot(m_host->replyMs.load(), this, [this, depth] {
            m_busy = false;
            if (m_host->reply == FakeHost::Reply::Failure)
                emit requestFailed(Error{ErrorCode::Timeout, u"Told to."_s, {}});
            else
                emit snapshotTaken(m_host->answer(depth, m_target));
        });
    }

private:
    std::shared_ptr<FakeHost> m_host;
    QString m_target;
    bool m_busy = false;
};

} // namespace

FakeHost::Attempt FakeHost::asks(quint64 id)
{
    Attempt attempt;
    attempt.kind = Attempt::Kind::Asks;
    attempt.question.id = id;
    attempt.question.fingerprint = u"SHA256:abc"_s;
    return attempt;
}

void FakeHost::tell(const Attempt &attempt)
{
    const std::lock_guard lock(m_mutex);
    m_attempts.push_back(attempt);
}

void FakeHost::setAnswer(const Snapshot &snapshot)
{
    const std::lock_guard lock(m_mutex);
    m_answer = snapshot;
}

void FakeHost::drop(const Error &error)
{
    const std::lock_guard lock(m_mutex);
    for (const auto &killer : m_killers)
        killer.push(error);
    m_killers.clear();
}

QList<Depth> FakeHost::requests() const
{
    const std::lock_guard lock(m_mutex);
    return m_requests;
}

QList<qint64> FakeHost::requestTimes() const
{
    const std::lock_guard lock(m_mutex);
    return m_times;
}

FakeHost::Attempt FakeHost::nextAttempt()
{
    const std::lock_guard lock(m_mutex);
    if (m_attempts.empty())
        return {};
    const Attempt attempt = m_attempts.front();
    m_attempts.pop_front();
    return attempt;
}

SnapshotPtr FakeHost::answer(Depth depth, const QString &target) const
{
    const std::lock_guard lock(m_mutex);
    auto snapshot = std::make_shared<Snapshot>(m_answer);
    snapshot->depth = depth;
    snapshot->target = target;
    return snapshot;
}

void FakeHost::noteRequest(Depth depth)
{
    const std::lock_guard lock(m_mutex);
    m_requests += depth;
    m_times += m_clock.elapsed();
}

void FakeHost::noteSettings(const ProbeSettings &settings)
{
    const std::lock_guard lock(m_mutex);
    m_settings = settings;
}

ProbeSettings FakeHost::probeSettings() const
{
    const std::lock_guard lock(m_mutex);
    return m_settings;
}

void FakeHost::addSession(const Handoff<Error>::Sender &killer)
{
    const std::lock_guard lock(m_mutex);
    m_killers.push_back(killer);
}

LinkEnvironment fakeEnvironment(const std::shared_ptr<FakeHost> &host, int places)
{
    LinkEnvironment environment;
    environment.backend.makeSession = [host](const ConnectionSettings &settings) -> std::unique_ptr<LinkSession> {
        host->askedPerson = settings.askPerson;
        return std::make_unique<FakeSession>(host);
    };
    environment.backend.makeProber = [host](LinkSession &,
                                            const ProbeSettings &settings) -> std::unique_ptr<LinkProber> {
        host->probeAskedPerson = settings.askPerson;
        return std::make_unique<FakeProber>(host, settings);
    };
    environment.timings.firstRetry = 20ms;
    environment.timings.lastRetry = 160ms;
    environment.timings.healthyAfter = 300ms;
    environment.timings.slowestCadence = 400ms;
    environment.timings.handshakePlace = 500ms;
    environment.timings.closing = 200ms;
    environment.timings.beyondDeadline = 100ms;
    environment.gate = std::make_shared<HandshakeGate>(places);
    environment.threads = std::make_shared<LinkThreads>();
    environment.random = [] { return 0.5; };
    return environment;
}

} // namespace pilothouse::test

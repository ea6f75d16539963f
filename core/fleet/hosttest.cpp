// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/hosttest.h"

#include "core/ssh/jump/jumpspec.h"

#include <algorithm>
#include <utility>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// There on every host with systemd; asked for where the inventory names no unit.
constexpr auto anyUnit = "systemd-journald.service"_L1;

StepResult done(TestStep step, const QString &text)
{
    return {step, StepResult::State::Done, text, std::nullopt, std::nullopt, {}};
}

} // namespace

HostTest::HostTest(LinkSettings settings, QObject *parent)
    : QObject(parent)
    , m_settings(std::move(settings))
{
    if (m_settings.probe.units.isEmpty())
        m_settings.probe.units += anyUnit;
}

HostTest::~HostTest() = default;

void HostTest::start()
{
    m_session = std::make_unique<SshSession>(m_settings.connection);
    connect(m_session.get(), &SshSession::stateChanged, this, &HostTest::sessionChanged);
    connect(m_session.get(), &SshSession::ended, this, &HostTest::fail);
    connect(m_session.get(), &SshSession::asked, this, &HostTest::ask);
    connect(m_session.get(), &SshSession::waitsForOthers, this, [this](bool waits) {
        if (!waits && m_current == TestStep::JumpHost && !m_passed)
            m_passed = m_clock.nsecsElapsed();
    });
    m_clock.start();
    m_session->open();
}

void HostTest::ask(const Question &question)
{
    m_personClock.start();
    emit asked(question);
}

void HostTest::answer(const Answer &answer)
{
    if (m_over || !m_session)
        return;
    if (m_personClock.isValid())
        m_stepStart += m_personClock.nsecsElapsed();
    m_personClock.invalidate();
    if (m_prober)
        m_prober->answer(answer);
    else
        m_session->answer(answer);
}

void HostTest::sessionChanged(SshSession::State state, const QString &words)
{
    using State = SshSession::State;
    if (m_over)
        return;
    emit said(words);
    if (state == State::Connecting && !m_resolved)
        m_resolved = m_clock.nsecsElapsed();
    if (const QString jumpHost = jumpHostOf(words); state == State::Connecting && !jumpHost.isEmpty())
        meetJumpHost(jumpHost);
    else if (state == State::KeyExchange)
        reach(TestStep::Connect);
    else if (state == State::CheckingHostKey)
        reach(TestStep::HostKey);
    else if (state == State::SigningIn)
        reach(TestStep::SignIn);
    else if (state == State::Ready)
        startShell();
}

/// Each speaks first of itself, then of the one before it, and when that one lets it through of itself again.
void HostTest::meetJumpHost(const QString &name)
{
    reach(TestStep::JumpHost);
    if (m_way.contains(name))
        passJumpHosts(name);
    else
        m_way += name;
}

/// Those before `next` let us through; empty: all of them.
void HostTest::passJumpHosts(const QString &next)
{
    while (!m_way.isEmpty() && m_way.constLast() != next) {
        StepResult result = done(TestStep::JumpHost, u"Signed in there."_s);
        result.jumpHost = m_way.takeLast();
        add(result);
    }
}

/// Everything before `next` has gone well.
void HostTest::reach(TestStep next)
{
    while (m_current < next) {
        const TestStep passed = std::exchange(m_current, TestStep(int(m_current) + 1));
        switch (passed) {
        case TestStep::Resolve:
            add(done(passed, u"The SSH configuration and the name are clear."_s));
            break;
        case TestStep::JumpHost:
            passJumpHosts({});
            break;
        case TestStep::Connect:
            add(done(passed, u"An SSH server answers."_s));
            break;
        case TestStep::HostKey:
            add(done(passed, u"The host key is the known one."_s));
            break;
        case TestStep::SignIn:
            add(done(passed, u"Signed in as %1."_s.arg(m_session->peer())));
            break;
        default:
            break;
        }
    }
}

void HostTest::startShell()
{
    reach(TestStep::Shell);
    ProbeSettings settings = m_settings.probe;
    settings.target = m_session->peer();
    m_prober = std::make_unique<Prober>(*m_session, settings);
    connect(m_prober.get(), &Prober::asked, this, &HostTest::ask);
    connect(m_prober.get(), &Prober::started, this, [this] {
        add(done(TestStep::Shell, u"/bin/sh runs the probe."_s));
        m_current = TestStep::Smi;
        emit said(u"taking a snapshot"_s);
        m_prober->requestSnapshot(Depth::Light);
    });
    connect(m_prober.get(), &Prober::snapshotTaken, this, [this](const SnapshotPtr &s) { judge(*s); });
    connect(m_prober.get(), &Prober::requestFailed, this, &HostTest::fail);
    connect(m_prober.get(), &Prober::failed, this, &HostTest::fail);
    m_prober->start();
}

void HostTest::judge(const Snapshot &snapshot)
{
    if (m_over)
        return;
    add(judgeSmi(snapshot));
    add(judgeSystemctl(snapshot));
    add(judgeRights(snapshot, m_settings.probe.sudo));
    finish();
}

void HostTest::fail(const Error &error)
{
    if (std::exchange(m_over, true))
        return;
    if (error.code == ErrorCode::Cancelled) {
        emit cancelled(error);
        return;
    }
    const QString jumpHost = jumpHostOf(error);
    TestStep current = m_current;
    if (current == TestStep::Resolve && m_resolved)
        current = TestStep::Connect;
    TestStep failing = std::max(stepOf(error.code, current), m_current);
    if (!jumpHost.isEmpty() && m_current < TestStep::Connect) {
        failing = TestStep::JumpHost;
        meetJumpHost(jumpHost);
    } else if (m_current == TestStep::JumpHost && isBeyondJumpHost(error.code)) {
        failing = TestStep::Connect; // what the last one says of the host behind it
    }
    reach(failing);
    StepResult result{failing, StepResult::State::Failed, sentenceOf(error), std::nullopt, error.code, {}};
    if (failing == TestStep::JumpHost && !m_way.isEmpty())
        result.jumpHost = m_way.takeLast();
    add(result);
    while (!m_way.isEmpty())
        add({TestStep::JumpHost, StepResult::State::Skipped, u"Not reached."_s, std::nullopt, std::nullopt,
             m_way.takeLast()});
    for (int step = int(failing) + 1; step <= int(TestStep::Rights); ++step) {
        if (TestStep(step) != TestStep::JumpHost)
            add({TestStep(step), StepResult::State::Skipped, u"Not reached."_s, std::nullopt, std::nullopt, {}});
    }
    finish();
}

void HostTest::add(StepResult result)
{
    if (!result.durationMs && result.state != StepResult::State::Skipped && result.step <= TestStep::Shell) {
        qint64 end = m_clock.nsecsElapsed();
        if (result.step == TestStep::Resolve && result.state == StepResult::State::Done)
            end = m_resolved.value_or(end);
        else if (result.step == TestStep::JumpHost && result.state == StepResult::State::Done && m_way.isEmpty())
            end = m_passed.value_or(end);
        result.durationMs = double((end - m_stepStart) / 1000) / 1000;
        m_stepStart = end;
    }
    emit stepDone(result);
}

void HostTest::finish()
{
    m_over = true;
    emit finished();
}

} // namespace pilothouse

#include "moc_hosttest.cpp"

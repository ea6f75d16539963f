// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// `pilothousectl test`: reaches one host step by step and says how each went. Session and prober live in the main
// thread here: nothing else happens in this program meanwhile.

#include "app/ctl/asker.h"
#include "app/ctl/command.h"
#include "app/ctl/teststeps.h"
#include "core/fleet/fleet.h"
#include "core/probe/prober.h"
#include "core/ssh/sshsession.h"

#include <QElapsedTimer>

#include <memory>

namespace pilothouse {

class TestCommand final : public Command
{
    Q_OBJECT
public:
    explicit TestCommand(const CommandContext &context);
    void start() override;

private:
    void sessionChanged(SshSession::State state, const QString &words);
    void reach(TestStep next);
    void startShell();
    void judge(const Snapshot &snapshot);
    void fail(const Error &error);
    void add(StepResult result);
    void finish();

    Asker m_asker;
    LinkSettings m_settings;
    std::unique_ptr<SshSession> m_session;
    std::unique_ptr<Prober> m_prober; // goes before its session
    QList<StepResult> m_results;
    TestStep m_current = TestStep::Resolve;
    QElapsedTimer m_clock;
    qint64 m_stepStart = 0;           // ns on the clock; an answer's time is pushed out of its step
    std::optional<qint64> m_resolved; // when connecting began; looking the name up may still fail after that
    QElapsedTimer m_personClock;
    bool m_over = false;
};

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Reaches one host step by step and says how each went. Session and prober live in the thread that made it, which has
// an event loop and nothing else to do: hosttester.h is for those who have.

#include "core/fleet/fleet.h"
#include "core/fleet/teststeps.h"
#include "core/probe/prober.h"
#include "core/ssh/sshsession.h"

#include <QElapsedTimer>
#include <QObject>

#include <memory>

namespace pilothouse {

class HostTest final : public QObject
{
    Q_OBJECT
public:
    explicit HostTest(LinkSettings settings, QObject *parent = nullptr);
    ~HostTest() override;

    void start();
    /// To asked().
    void answer(const Answer &answer);

signals:
    /// Each step once, in order, those that were not reached as well.
    void stepDone(const pilothouse::StepResult &result);
    /// What is going on now.
    void said(const QString &words);
    void asked(const pilothouse::Question &question);
    /// Once, the last.
    void finished();
    /// In place of the steps that are left and of finished(): a question was declined.
    void cancelled(const pilothouse::Error &error);

private:
    void sessionChanged(SshSession::State state, const QString &words);
    void ask(const Question &question);
    void meetJumpHost(const QString &name);
    void passJumpHosts(const QString &next);
    void reach(TestStep next);
    void startShell();
    void judge(const Snapshot &snapshot);
    void fail(const Error &error);
    void add(StepResult result);
    void finish();

    LinkSettings m_settings;
    std::unique_ptr<SshSession> m_session;
    std::unique_ptr<Prober> m_prober; // goes before its session
    TestStep m_current = TestStep::Resolve;
    QStringList m_way; // jump hosts that are not through yet, the nearest last
    QElapsedTimer m_clock;
    qint64 m_stepStart = 0;           // ns on the clock; an answer's time is pushed out of its step
    std::optional<qint64> m_resolved; // when connecting began; looking the name up may still fail after that
    std::optional<qint64> m_passed;   // when the last jump host let us through; dialling on may still fail there
    QElapsedTimer m_personClock;
    bool m_over = false;
};

} // namespace pilothouse

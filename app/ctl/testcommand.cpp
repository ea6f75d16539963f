// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/testcommand.h"

#include "app/ctl/interrupts.h"
#include "app/ctl/output.h"
#include "app/ctl/target.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// There on every host with systemd; asked for where the inventory names no unit.
constexpr auto anyUnit = "systemd-journald.service"_L1;

} // namespace

TestCommand::TestCommand(const CommandContext &context)
    : Command(context)
    , m_asker(context.output, context.interrupts)
{
    connect(&context.interrupts, &Interrupts::interrupted, this, [this] {
        m_over = true;
        emit finished(exitCodeOf(ErrorCode::Cancelled));
    });
}

void TestCommand::start()
{
    const auto host = hostFor(options(), options().arguments.first());
    const auto common = fleetSettingsFor(context());
    const auto settings = host && common ? linkSettingsFor(*host, *common)
                                         : Result<LinkSettings>(pilothouse::fail(host ? common.error() : host.error()));
    if (!settings) {
        output().problem(sentenceOf(settings.error()));
        m_over = true;
        emit finished(exitCodeOf(settings.error().code));
        return;
    }
    m_settings = *settings;
    if (m_settings.probe.units.isEmpty())
        m_settings.probe.units += anyUnit;
    m_session = std::make_unique<SshSession>(m_settings.connection);
    connect(m_session.get(), &SshSession::stateChanged, this, &TestCommand::sessionChanged);
    connect(m_session.get(), &SshSession::ended, this, &TestCommand::fail);
    connect(m_session.get(), &SshSession::asked, this, [this](const Question &question) {
        m_personClock.start();
        m_asker.ask(question);
    });
    connect(&m_asker, &Asker::answered, m_session.get(), [this](const Answer &answer) {
        m_stepStart += m_personClock.nsecsElapsed();
        if (m_prober)
            m_prober->answer(answer);
        else
            m_session->answer(answer);
    });
    m_clock.start();
    m_session->open();
}

void TestCommand::sessionChanged(SshSession::State state, const QString &words)
{
    using State = SshSession::State;
    if (m_over)
        return;
    if (words.endsWith(agentAsksWords))
        output().problem(words);
    if (state == State::Connecting)
        m_resolved = m_clock.nsecsElapsed();
    else if (state == State::KeyExchange)
        reach(TestStep::Connect);
    else if (state == State::CheckingHostKey)
        reach(TestStep::HostKey);
    else if (state == State::SigningIn)
        reach(TestStep::SignIn);
    else if (state == State::Ready)
        startShell();
}

/// Everything before `next` has gone well.
void TestCommand::reach(TestStep next)
{
    static constexpr const char16_t *texts[] = {u"The SSH configuration and the name are clear.",
                                                u"An SSH server answers.", u"The host key is the known one.",
                                                u"Signed in."};
    while (m_current < next) {
        QString text = QString::fromUtf16(texts[int(m_current)]);
        if (m_current == TestStep::SignIn)
            text = u"Signed in as %1."_s.arg(m_session->peer());
        add({m_current, StepResult::State::Done, text, std::nullopt, std::nullopt});
        m_current = TestStep(int(m_current) + 1);
    }
}

void TestCommand::startShell()
{
    reach(TestStep::Shell);
    ProbeSettings settings = m_settings.probe;
    settings.target = m_session->peer();
    m_prober = std::make_unique<Prober>(*m_session, settings);
    connect(m_prober.get(), &Prober::asked, this, [this](const Question &question) {
        m_personClock.start();
        m_asker.ask(question);
    });
    connect(m_prober.get(), &Prober::started, this, [this] {
        add({TestStep::Shell, StepResult::State::Done, u"/bin/sh runs the probe."_s, std::nullopt, std::nullopt});
        m_current = TestStep::Smi;
        m_prober->requestSnapshot(Depth::Light);
    });
    connect(m_prober.get(), &Prober::snapshotTaken, this, [this](const SnapshotPtr &s) { judge(*s); });
    connect(m_prober.get(), &Prober::requestFailed, this, &TestCommand::fail);
    connect(m_prober.get(), &Prober::failed, this, &TestCommand::fail);
    m_prober->start();
}

void TestCommand::judge(const Snapshot &snapshot)
{
    if (m_over)
        return;
    add(judgeSmi(snapshot));
    add(judgeSystemctl(snapshot));
    add(judgeRights(snapshot, m_settings.probe.sudo));
    finish();
}

void TestCommand::fail(const Error &error)
{
    if (m_over)
        return;
    if (error.code == ErrorCode::Cancelled) {
        output().problem(sentenceOf(error));
        m_over = true;
        emit finished(exitCodeOf(error.code));
        return;
    }
    const bool connecting = m_current == TestStep::Resolve && m_resolved;
    const TestStep failing = stepOf(error.code, connecting ? TestStep::Connect : m_current);
    reach(failing);
    add({failing, StepResult::State::Failed, sentenceOf(error), std::nullopt, error.code});
    for (int step = int(failing) + 1; step <= int(TestStep::Rights); ++step)
        add({TestStep(step), StepResult::State::Skipped, u"Not reached."_s, std::nullopt, std::nullopt});
    finish();
}

void TestCommand::add(StepResult result)
{
    if (!result.durationMs && result.state != StepResult::State::Skipped && result.step <= TestStep::Shell) {
        qint64 end = m_clock.nsecsElapsed();
        if (result.step == TestStep::Resolve && result.state == StepResult::State::Done)
            end = m_resolved.value_or(end);
        result.durationMs = double((end - m_stepStart) / 1000) / 1000;
        m_stepStart = end;
    }
    m_results += result;
    if (!options().json)
        output().data(lineOf(result, output()));
}

void TestCommand::finish()
{
    m_over = true;
    if (options().json) {
        QJsonArray steps;
        for (const StepResult &result : std::as_const(m_results))
            steps += toJson(result);
        const QJsonObject document{{u"steps"_s, steps}};
        output().data(QString::fromUtf8(QJsonDocument(document).toJson(QJsonDocument::Compact)) + u'\n');
    }
    emit finished(exitCodeOf(m_results));
}

} // namespace pilothouse

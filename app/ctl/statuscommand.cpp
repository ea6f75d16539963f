// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/statuscommand.h"

#include "app/ctl/interrupts.h"
#include "app/ctl/output.h"
#include "app/ctl/target.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

StatusCommand::StatusCommand(const CommandContext &context)
    : Command(context)
    , m_asker(context.output, context.interrupts)
{
    connect(&context.interrupts, &Interrupts::interrupted, this, [this] {
        m_over = true;
        emit finished(exitCodeOf(ErrorCode::Cancelled));
    });
    connect(&m_asker, &Asker::answered, this, [this](const Answer &answer) {
        if (Visit *visit = std::exchange(m_asking, nullptr)) {
            visit->question.reset();
            visit->exam->link().answer(answer);
        }
        askNext();
    });
}

void StatusCommand::start()
{
    const auto hosts = hostsFor(options());
    const auto settings = fleetSettingsFor(context());
    if (!hosts)
        stop(hosts.error());
    else if (!settings)
        stop(settings.error());
    else
        begin(*hosts, *settings);
}

void StatusCommand::begin(const QList<HostSpec> &hosts, const FleetSettings &settings)
{
    FleetSettings quiet = settings;
    quiet.background = std::chrono::milliseconds(0);
    m_fleet = std::make_unique<Fleet>(quiet);
    for (const HostSpec &host : hosts) {
        m_visits.push_back(std::make_unique<Visit>());
        m_visits.back()->host = host;
    }
    for (const auto &visit : m_visits) {
        if (const auto link = m_fleet->add(visit->host))
            follow(*visit, **link);
        else
            done(*visit, {statusRow(visit->host.name, link.error())});
    }
}

void StatusCommand::follow(Visit &visit, HostLink &link)
{
    visit.exam = std::make_unique<HostExam>(*m_fleet, visit.host, link);
    connect(&link, &HostLink::stateChanged, this,
            [this, &visit](const LinkState &state) { stateChanged(visit, state); });
    connect(&link, &HostLink::questionAsked, this, [this, &visit](const Question &question) {
        visit.question = question;
        if (m_asking == &visit)
            m_asking = nullptr;
        askNext();
    });
    connect(visit.exam.get(), &HostExam::examined, this,
            [this, &visit](const SnapshotPtr &snapshot, const Diagnosis &diagnosis) {
                const HostSpec &host = visit.exam->host();
                const bool found = visit.host.services.isEmpty();
                QList<StatusRow> rows = statusRows(host.name, found ? host.services : visit.host.services, found, *snapshot);
                tellLeftovers(rows, host, *snapshot, diagnosis);
                done(visit, rows);
            });
    connect(visit.exam.get(), &HostExam::missed, this,
            [this, &visit](const Error &error) { done(visit, {statusRow(visit.host.name, error)}); });
    visit.exam->begin();
}

void StatusCommand::stateChanged(Visit &visit, const LinkState &state)
{
    using Phase = LinkState::Phase;
    if (state.phase == Phase::Retrying || state.phase == Phase::Stopped)
        done(visit, {statusRow(visit.host.name, *state.error)});
    else if (state.phase == Phase::Connecting && state.words.endsWith(agentAsksWords))
        output().problem(u"%1: %2"_s.arg(visit.host.name, state.words));
}

/// One question at a time, in the order of the hosts.
void StatusCommand::askNext()
{
    if (m_asking)
        return;
    const auto next = std::ranges::find_if(m_visits, [](const auto &visit) { return visit->question.has_value(); });
    if (next == m_visits.end())
        return;
    m_asking = next->get();
    m_asker.ask(*m_asking->question);
}

void StatusCommand::done(Visit &visit, const QList<StatusRow> &rows)
{
    if (!visit.rows.isEmpty())
        return;
    visit.rows = rows;
    visit.question.reset();
    if (visit.exam) {
        disconnect(visit.exam.get(), nullptr, this, nullptr);
        visit.exam->end();
        disconnect(&visit.exam->link(), nullptr, this, nullptr);
        visit.exam->link().close();
    }
    if (m_asking == &visit) { // nobody waits for that answer any more
        m_asking = nullptr;
        askNext();
    }
    // Fleet and links are ended by main with this command: we may be in one of their signals.
    QMetaObject::invokeMethod(this, &StatusCommand::finishIfDone, Qt::QueuedConnection);
}

void StatusCommand::finishIfDone()
{
    const bool all = std::ranges::none_of(m_visits, [](const auto &visit) { return visit->rows.isEmpty(); });
    if (!all || std::exchange(m_over, true))
        return;
    QList<StatusRow> rows;
    int worst = 0;
    for (const auto &visit : m_visits)
        rows += visit->rows;
    for (const StatusRow &row : std::as_const(rows))
        worst = worstOf(worst, row.exitCode);
    output().data(options().json ? statusJson(rows) : statusText(rows, output()));
    QStringList problems; // what concerns several services of a host is said once
    for (const StatusRow &row : std::as_const(rows)) {
        if (!row.text.isEmpty())
            problems << u"%1: %2"_s.arg(row.host, row.text);
    }
    problems.removeDuplicates();
    for (const QString &problem : std::as_const(problems))
        output().problem(problem);
    emit finished(worst);
}

void StatusCommand::stop(const Error &error)
{
    output().problem(sentenceOf(error));
    m_over = true;
    emit finished(exitCodeOf(error.code));
}

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/hostvisit.h"

#include "app/ctl/output.h"
#include "app/ctl/target.h"

namespace pilothouse {

HostVisit::HostVisit(const CommandContext &context)
    : m_context(context)
    , m_asker(context.output, context.interrupts)
{
}

HostVisit::~HostVisit() = default;

Result<void> HostVisit::begin(const QString &target)
{
    return begin(target, m_context.options.units);
}

Result<void> HostVisit::begin(const QString &target, const QStringList &units)
{
    Options wanted = m_context.options;
    wanted.units = units;
    const auto host = hostFor(wanted, target);
    if (!host)
        return fail(host.error());
    auto settings = fleetSettingsFor(m_context);
    if (!settings)
        return fail(settings.error());
    settings->background = std::chrono::milliseconds(0);
    m_fleet = std::make_unique<Fleet>(*settings);
    const auto added = m_fleet->add(*host);
    if (!added)
        return fail(added.error());
    HostLink &link = **added;
    m_exam = std::make_unique<HostExam>(*m_fleet, *host, link);
    connect(&link, &HostLink::stateChanged, this, &HostVisit::stateChanged);
    connect(&link, &HostLink::questionAsked, &m_asker, &Asker::ask);
    connect(&m_asker, &Asker::answered, &link, &HostLink::answer);
    connect(m_exam.get(), &HostExam::examined, this, &HostVisit::examined);
    connect(m_exam.get(), &HostExam::missed, this, &HostVisit::missed);
    return {};
}

void HostVisit::leave()
{
    if (!m_exam)
        return;
    disconnect(m_exam.get(), nullptr, this, nullptr);
    m_exam->end();
    disconnect(&link(), nullptr, this, nullptr);
    disconnect(&link(), nullptr, &m_asker, nullptr);
}

void HostVisit::stateChanged(const LinkState &state)
{
    using Phase = LinkState::Phase;
    if (state.phase == Phase::Connecting && state.words.endsWith(agentAsksWords))
        m_context.output.problem(state.words);
    if (state.phase == Phase::Retrying || state.phase == Phase::Stopped)
        emit away(*state.error, state.phase == Phase::Stopped);
}

} // namespace pilothouse

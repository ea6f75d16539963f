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
    const auto host = hostFor(m_context.options, target);
    if (!host)
        return fail(host.error());
    auto settings = fleetSettingsFor(m_context);
    if (!settings)
        return fail(settings.error());
    settings->background = std::chrono::milliseconds(0);
    m_host = *host;
    m_fleet = std::make_unique<Fleet>(*settings);
    const auto link = m_fleet->add(m_host);
    if (!link)
        return fail(link.error());
    m_link = *link;
    connect(m_link, &HostLink::stateChanged, this, &HostVisit::stateChanged);
    connect(m_link, &HostLink::questionAsked, &m_asker, &Asker::ask);
    connect(&m_asker, &Asker::answered, m_link, &HostLink::answer);
    connect(m_link, &HostLink::snapshotArrived, this, &HostVisit::taken);
    connect(m_link, &HostLink::snapshotFailed, this, &HostVisit::missed);
    connect(m_link, &HostLink::acted, this, [this](quint64 number, const ActionResult &result) {
        if (number == m_asking)
            emit told(result.answer ? answersOf(result.answer->ports) : QHash<quint16, PortAnswer>());
    });
    return {};
}

void HostVisit::look(Depth depth)
{
    m_link->requestSnapshot(depth);
}

void HostVisit::askPorts(const QList<std::pair<QString, quint16>> &ports)
{
    if (ports.isEmpty()) {
        emit told({});
        return;
    }
    ActionRequest request;
    request.kind = ActionRequest::Kind::AskPorts;
    request.ports = ports;
    m_asking = m_link->act(request, {});
}

void HostVisit::watchToo(const QList<ServiceSpec> &services)
{
    m_host.services += services;
    if (const auto link = m_fleet->change(m_host)) // the same one: only its units differ
        m_link = *link;
}

void HostVisit::leave()
{
    if (!m_link)
        return;
    disconnect(m_link, nullptr, this, nullptr);
    disconnect(m_link, nullptr, &m_asker, nullptr);
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

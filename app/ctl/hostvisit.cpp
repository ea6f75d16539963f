// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/hostvisit.h"

#include "app/ctl/output.h"
#include "app/ctl/target.h"
#include "core/fleet/hostdiagnosis.h"
#include "core/fleet/servicediscovery.h"

#include <utility>

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
    connect(m_link, &HostLink::snapshotArrived, this, &HostVisit::take);
    connect(m_link, &HostLink::snapshotFailed, this, [this](const Error &error) {
        if (std::exchange(m_examining, false))
            emit missed(error);
    });
    connect(m_link, &HostLink::acted, this, [this](quint64 number, const ActionResult &result) {
        if (number == m_asking && m_snapshot)
            conclude(result.answer ? result.answer->ports : QHash<quint16, PortStatus>()); // what nobody told is missing
    });
    return {};
}

void HostVisit::examine()
{
    m_examining = true;
    m_link->requestSnapshot(Depth::Deep);
}

void HostVisit::take(const SnapshotPtr &snapshot)
{
    if (!m_examining)
        return;
    const QList<ServiceSpec> found = std::exchange(m_discovered, true) ? QList<ServiceSpec>()
                                                                       : discoverServices(*snapshot, m_host.services);
    if (!found.isEmpty()) {
        m_lineage = remember(m_lineage, *snapshot);
        m_host.services += found;
        if (const auto link = m_fleet->change(m_host)) // the same one: only its units differ
            m_link = *link;
        m_link->requestSnapshot(Depth::Deep);
        return;
    }
    m_examining = false;
    m_snapshot = snapshot;
    ActionRequest request;
    request.kind = ActionRequest::Kind::AskPorts;
    request.ports = portsToAsk(*snapshot, diagnose(m_host, *snapshot, m_lineage));
    if (request.ports.isEmpty())
        conclude({});
    else
        m_asking = m_link->act(request, {});
}

void HostVisit::conclude(const QHash<quint16, PortStatus> &ports)
{
    const SnapshotPtr snapshot = std::exchange(m_snapshot, {});
    const Diagnosis diagnosis = diagnose(m_host, *snapshot, m_lineage, answersOf(ports));
    m_lineage = remember(m_lineage, *snapshot);
    emit examined(snapshot, diagnosis);
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

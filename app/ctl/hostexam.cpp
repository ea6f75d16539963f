// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/hostexam.h"

#include "core/fleet/hostdiagnosis.h"
#include "core/fleet/servicediscovery.h"

#include <utility>

namespace pilothouse {

HostExam::HostExam(Fleet &fleet, const HostSpec &host, HostLink &link)
    : m_fleet(fleet)
    , m_host(host)
    , m_link(&link)
{
    connect(m_link, &HostLink::snapshotArrived, this, &HostExam::take);
    connect(m_link, &HostLink::snapshotFailed, this, [this](const Error &error) {
        if (std::exchange(m_examining, false))
            emit missed(error);
    });
    connect(m_link, &HostLink::acted, this, [this](quint64 number, const ActionResult &result) {
        if (number == m_asking && m_snapshot)
            conclude(result.answer ? result.answer->ports : QHash<quint16, PortStatus>()); // what nobody told is missing
    });
}

void HostExam::begin()
{
    m_examining = true;
    m_link->requestSnapshot(Depth::Deep);
}

void HostExam::end()
{
    disconnect(m_link, nullptr, this, nullptr);
}

void HostExam::take(const SnapshotPtr &snapshot)
{
    if (!m_examining)
        return;
    const QList<ServiceSpec> found = std::exchange(m_discovered, true) ? QList<ServiceSpec>()
                                                                       : discoverServices(*snapshot, m_host.services);
    if (!found.isEmpty()) {
        m_lineage = remember(m_lineage, *snapshot);
        m_host.services += found;
        if (const auto link = m_fleet.change(m_host)) // the same one: only its units differ
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

void HostExam::conclude(const QHash<quint16, PortStatus> &ports)
{
    const SnapshotPtr snapshot = std::exchange(m_snapshot, {});
    const Diagnosis diagnosis = diagnose(m_host, *snapshot, m_lineage, answersOf(ports));
    m_lineage = remember(m_lineage, *snapshot);
    emit examined(snapshot, diagnosis);
}

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a host is found to be: one deep snapshot, the ports that it shows, asked on the host, and what they mean. The first
// time a second snapshot where the first shows units that nobody named: whether they run decides what their processes are.
// Main thread.

#include "core/actions/action.h"
#include "core/diagnosis/lineage.h"
#include "core/fleet/fleet.h"

namespace pilothouse {

class HostExam final : public QObject
{
    Q_OBJECT
public:
    /// `link` is the host's in `fleet`; both outlive it.
    HostExam(Fleet &fleet, const HostSpec &host, HostLink &link);

    /// As soon as there is a connection: examined() follows, or missed().
    void begin();
    /// Says nothing any more.
    void end();

    /// With the services that were found on it.
    [[nodiscard]] const HostSpec &host() const { return m_host; }
    [[nodiscard]] HostLink &link() const { return *m_link; }
    /// What all that was examined has taught.
    [[nodiscard]] const Lineage &lineage() const { return m_lineage; }

signals:
    void examined(const pilothouse::SnapshotPtr &snapshot, const pilothouse::Diagnosis &diagnosis);
    /// The snapshot failed; the connection stands.
    void missed(const pilothouse::Error &error);

private:
    void take(const SnapshotPtr &snapshot);
    void conclude(const QHash<quint16, PortStatus> &ports);

    Fleet &m_fleet;
    HostSpec m_host;
    HostLink *m_link;
    Lineage m_lineage;
    SnapshotPtr m_snapshot; ///< whose ports are being asked
    quint64 m_asking = 0;
    bool m_examining = false;
    bool m_discovered = false;
};

} // namespace pilothouse

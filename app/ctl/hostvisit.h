// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One host that a command works on: the way to it, its questions, and what it is found to be. Main thread; the command
// owns it.

#include "app/ctl/asker.h"
#include "app/ctl/command.h"
#include "core/actions/action.h"
#include "core/diagnosis/lineage.h"
#include "core/fleet/fleet.h"

#include <memory>

namespace pilothouse {

class HostVisit final : public QObject
{
    Q_OBJECT
public:
    explicit HostVisit(const CommandContext &context);
    ~HostVisit() override;

    /// The host of the command line's TARGET, which opens. Errors: as hostFor() and fleetSettingsFor().
    [[nodiscard]] Result<void> begin(const QString &target);
    /// As soon as there is a connection: one deep snapshot, the ports that it shows, asked on the host, and what they mean.
    /// The first time a second snapshot where the first shows units that nobody named: whether they run decides what their
    /// processes are. examined() follows, or missed().
    void examine();
    /// Nothing is said any more; what is open ends with this object.
    void leave();

    [[nodiscard]] const HostSpec &host() const { return m_host; }
    [[nodiscard]] HostLink *link() const { return m_link; }
    /// What all that was examined has taught.
    [[nodiscard]] const Lineage &lineage() const { return m_lineage; }

signals:
    void examined(const pilothouse::SnapshotPtr &snapshot, const pilothouse::Diagnosis &diagnosis);
    /// The snapshot failed; the connection stands.
    void missed(const pilothouse::Error &error);
    /// There is no connection. `final`: and none will come without a person.
    void away(const pilothouse::Error &error, bool final);

private:
    void take(const SnapshotPtr &snapshot);
    void conclude(const QHash<quint16, PortStatus> &ports);
    void stateChanged(const LinkState &state);

    const CommandContext m_context;
    Asker m_asker;
    HostSpec m_host;
    std::unique_ptr<Fleet> m_fleet;
    HostLink *m_link = nullptr;
    Lineage m_lineage;
    SnapshotPtr m_snapshot;   ///< whose ports are being asked
    quint64 m_asking = 0;
    bool m_examining = false;
    bool m_discovered = false;
};

} // namespace pilothouse

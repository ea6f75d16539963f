// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One host that a command works on: the way to it, its questions, its snapshots on request. Main thread; the command owns it.

#include "app/ctl/asker.h"
#include "app/ctl/command.h"
#include "core/fleet/fleet.h"
#include "core/fleet/hostdiagnosis.h"

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
    /// A snapshot as soon as there is a connection.
    void look(Depth depth);
    /// Their units too from the next snapshot on.
    void watchToo(const QList<ServiceSpec> &services);
    /// Which of these answer over HTTP, asked on the host: told() follows, at once where there are none.
    void askPorts(const QList<std::pair<QString, quint16>> &ports);
    /// Nothing is said any more; what is open ends with this object.
    void leave();

    [[nodiscard]] const HostSpec &host() const { return m_host; }
    [[nodiscard]] HostLink *link() const { return m_link; }

signals:
    void taken(const pilothouse::SnapshotPtr &snapshot);
    /// Those that could not be asked are missing.
    void told(const QHash<quint16, pilothouse::PortAnswer> &ports);
    /// One snapshot failed; the connection stands.
    void missed(const pilothouse::Error &error);
    /// There is no connection. `final`: and none will come without a person.
    void away(const pilothouse::Error &error, bool final);

private:
    void stateChanged(const LinkState &state);

    const CommandContext m_context;
    Asker m_asker;
    HostSpec m_host;
    std::unique_ptr<Fleet> m_fleet;
    HostLink *m_link = nullptr;
    quint64 m_asking = 0;
};

} // namespace pilothouse

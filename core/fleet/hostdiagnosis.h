// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Diagnoses a snapshot with what the inventory knows of its host: who asks and with what rights, which services are
// watched. Pure, any thread.

#include "core/actions/action.h"
#include "core/diagnosis/diagnose.h"
#include "core/fleet/hostspec.h"

namespace pilothouse {

/// By the snapshot's target and by what its probe was allowed.
[[nodiscard]] LoginRights rightsOf(const Snapshot &snapshot);

/// Those of the inventory, their GPUs as indices. A GPU that the snapshot does not have is left out.
[[nodiscard]] QList<WatchedService> watchedServices(const HostSpec &host, const Snapshot &snapshot);

[[nodiscard]] Diagnosis diagnose(const HostSpec &host, const Snapshot &snapshot, const Lineage &lineage,
                                 const QHash<quint16, PortAnswer> &ports = {}, const QDateTime &endedAt = {});

/// The listening ports of families, which decide whether they serve: what is to be asked before diagnose().
[[nodiscard]] QList<std::pair<QString, quint16>> portsToAsk(const Snapshot &snapshot, const Diagnosis &diagnosis);
[[nodiscard]] QHash<quint16, PortAnswer> answersOf(const QHash<quint16, PortStatus> &ports);

/// `--unit`: the family is the unit's own, or in its way: a leftover on a GPU that the unit uses.
[[nodiscard]] bool concernsUnit(const Family &family, const QString &unit, const HostSpec &host,
                                const Snapshot &snapshot);

} // namespace pilothouse

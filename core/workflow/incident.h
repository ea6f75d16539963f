// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a post-mortem needs of a host, in one file to hand on: a paragraph for the ticket, the snapshot with its diagnosis,
// and how the processes stood. Secrets are taken out of all of it. Any thread; writing waits for the disk.

#include "core/actions/action.h"
#include "core/base/result.h"
#include "core/diagnosis/diagnosis.h"
#include "core/host/snapshot.h"

#include <QByteArray>

namespace pilothouse {

struct Incident
{
    QDateTime at;
    QString ticket;          ///< for people
    SnapshotPtr snapshot;    ///< never null
    Diagnosis diagnosis;
    QByteArray evidence;     ///< as the host sent it; empty: none
    QString evidenceTrouble; ///< why there is none
};

/// What the host is asked for it: how everybody of a family stands (64 processes at most),
/// the driver's and the kernel's words, and those of `unit`, or else of the first family's unit.
[[nodiscard]] ActionRequest evidenceRequest(const Snapshot &snapshot, const Diagnosis &diagnosis, const QString &unit = {});

/// A .tar.gz of the folder "incident": ticket.txt, snapshot.json, evidence.txt.
[[nodiscard]] QByteArray incidentArchive(const Incident &incident);

/// Writes it to `file`, 0600. Errors: LocalIo.
[[nodiscard]] Result<void> exportIncident(const QString &file, const Incident &incident);

} // namespace pilothouse

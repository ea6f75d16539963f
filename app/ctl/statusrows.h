// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The lines of `pilothousectl status`: what one snapshot, or the lack of one, says of a host's services. Pure.

#include "app/ctl/output.h"
#include "core/base/error.h"
#include "core/diagnosis/diagnosis.h"
#include "core/fleet/hostspec.h"
#include "core/host/snapshot.h"

#include <QDateTime>
#include <QList>

#include <optional>

namespace pilothouse {

struct StatusRow
{
    QString host;
    std::optional<ServiceSpec> service; ///< none: the line is the host's
    bool found = false;                 ///< written down nowhere
    QString state;                      ///< words
    QString active;                     ///< systemd's own; empty when unknown
    QDateTime hostSince;                ///< on the host's clock; invalid when unknown
    Quantity<qint64> memoryMib;
    Quantity<qint64> leftoversMib;      ///< see tellLeftovers
    std::optional<ErrorCode> error;
    QString text;                       ///< why, one paragraph, with `error` or a part that is missing
    int exitCode = 0;
};

/// One line a service, or one of the host where it has none. `found`: the services are discovered, not written.
[[nodiscard]] QList<StatusRow> statusRows(const QString &host, const QList<ServiceSpec> &services, bool found,
                                          const Snapshot &snapshot);
/// What leftovers and stuck processes hold: of each service those that are its own or in its way; a line more for those that
/// concern none. Unknown where an orphan is so young that one look cannot tell.
void tellLeftovers(QList<StatusRow> &rows, const HostSpec &host, const Snapshot &snapshot, const Diagnosis &diagnosis);
/// The one line of a host that could not be read.
[[nodiscard]] StatusRow statusRow(const QString &host, const Error &error);

/// The worse of two exit codes: 0, 1, 6, 4, 5, 3, then anything else.
[[nodiscard]] int worstOf(int a, int b);

[[nodiscard]] QString statusText(const QList<StatusRow> &rows, const Output &output);
[[nodiscard]] QString statusJson(const QList<StatusRow> &rows);

} // namespace pilothouse

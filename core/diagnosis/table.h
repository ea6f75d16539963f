// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A snapshot's processes with what the rules say of each, and the way from PID to row. Points into the snapshot and the
// rules, which must outlive it. Pure, any thread.

#include "core/diagnosis/rules.h"
#include "core/host/snapshot.h"

#include <QSet>

namespace pilothouse {

constexpr qint64 holderMib = 64; ///< below it a row of the driver's list is no holding (monitors, persistence)

struct TableRow
{
    const Process *process = nullptr;
    QString rule = QStringLiteral("R25");
    QString role = QStringLiteral("other");
    RoleClass roleClass = RoleClass::Other;
    bool present = false;   ///< the host shows it
    bool running = false;   ///< present, neither a zombie nor on its way out
    bool holds = false;     ///< GPU memory or the unified-memory device
    bool listed = false;    ///< the driver lists it with more than a trifle

    [[nodiscard]] QString engine() const { return role.section(u'.', 0, 0); }
    [[nodiscard]] quint64 start() const { return process->startTicks.valueOr(0); }
    /// Its family ends when it ends.
    [[nodiscard]] bool isHead() const;
    /// Of an inference engine, without a life of its own.
    [[nodiscard]] bool isDependent() const;
    /// May be part of a family at all.
    [[nodiscard]] bool hasFamily() const;
};

class Table
{
public:
    Table(const Snapshot &snapshot, const Rules &rules, const QSet<qint64> &ownPids);

    [[nodiscard]] const QList<TableRow> &rows() const { return m_rows; }
    [[nodiscard]] const TableRow &row(qsizetype at) const { return m_rows.at(at); }
    /// -1: not in the list.
    [[nodiscard]] qsizetype find(qint64 pid) const { return m_byPid.value(pid, -1); }
    /// Alive with this very start time.
    [[nodiscard]] bool isAlive(const ProcessIdentity &identity) const;

private:
    QList<TableRow> m_rows;
    QHash<qint64, qsizetype> m_byPid;
};

/// MiB that the driver books on it; unknown where any row is; 0 without rows.
[[nodiscard]] Quantity<qint64> heldBy(const Process &process);

} // namespace pilothouse

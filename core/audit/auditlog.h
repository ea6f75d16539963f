// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The audit's file: written to the disk before a host is changed. Any thread but the GUI's (it waits for the disk); any
// number of consoles may write the same file, a line each in one piece.

#include "core/audit/auditrecord.h"

namespace pilothouse {

class AuditLog
{
public:
    /// `folder` as from makeStateFolder().
    explicit AuditLog(const QString &folder);

    /// Returns when the line is on the disk. Errors: LocalIo (why the line could not be written): the deed that it
    /// announces must not be done.
    [[nodiscard]] Result<void> append(const AuditRecord &record) const;

    /// The last records, at most `most`, oldest first. Lines that are no records are passed over; no file means none.
    /// Errors: LocalIo.
    [[nodiscard]] Result<QList<AuditRecord>> last(qsizetype most) const;

    [[nodiscard]] QString file() const { return m_file; }

private:
    QString m_file;
};

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One line of the audit: what was about to be done to a host, or what came of it. Pure values, any thread.

#include "core/base/ids.h"
#include "core/base/result.h"

#include <QByteArray>
#include <QDateTime>
#include <QList>
#include <QString>

#include <optional>

namespace pilothouse {

/// What an action is for: a process, or anything else that has a name (a unit, a file).
struct AuditObject
{
    std::optional<ProcessIdentity> process;
    QString name; ///< command line, unit, path

    friend bool operator==(const AuditObject &, const AuditObject &) = default;
};

struct AuditRecord
{
    enum class Phase { Intent, Outcome };
    enum class Result { None, Done, Failed, Refused }; ///< None with an intent, and with nothing else

    QDateTime at;          ///< UTC, on the console's clock
    Phase phase = Phase::Intent;
    QString operation;     ///< the same in an intent and its outcome
    QString console;       ///< consoleId()
    QString person;        ///< who sits at it: "ada@desk"
    QString host;          ///< its name in the inventory
    QString target;        ///< user@address:port
    QString bootId;        ///< of the host; empty: not known
    QString action;        ///< "signal.term", "unit.stop" …
    QList<AuditObject> objects;
    Result result = Result::None;
    QString text;          ///< one sentence for people

    friend bool operator==(const AuditRecord &, const AuditRecord &) = default;
};

/// One line, line feed included, at most 64 KiB: of objects beyond that the number is kept. Text is cleaned.
[[nodiscard]] QByteArray auditLine(const AuditRecord &record);

/// Errors: LocalIo (no such record: half a line, another program's). Fields that it does not know are passed over.
[[nodiscard]] Result<AuditRecord> readAuditLine(QByteArrayView line);

} // namespace pilothouse

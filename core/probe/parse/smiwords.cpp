// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/smiwords.h"

#include "core/base/cleantext.h"
#include "core/probe/parse/bytes.h"

#include <algorithm>
#include <array>

namespace pilothouse {

namespace {

struct Word
{
    const char *text; ///< lower case
    CellKind kind;
};

constexpr std::array words{
    Word{"n/a", CellKind::NotSupported},
    Word{"not supported", CellKind::NotSupported},
    Word{"requested functionality has been deprecated", CellKind::NotSupported},
    Word{"deprecated", CellKind::NotSupported},
    Word{"function not found", CellKind::NotSupported},
    Word{"insufficient permissions", CellKind::NoPermission},
    Word{"no permission", CellKind::NoPermission},
    Word{"not found", CellKind::NotFound},
    Word{"err!", CellKind::Fault},
};

// Parts of a sentence: drivers lengthen them ("GPU is lost.  Reboot the system to recover this GPU").
constexpr std::array faults{
    "unknown error", "requires reset", "reset required", "is lost", "inaccessible", "fallen off the bus",
    "access blocked by the operating system",
};

CellKind kindOfWord(QByteArrayView word)
{
    const QByteArray lower = lowered(word);
    for (const Word &known : words) {
        if (lower == known.text)
            return known.kind;
    }
    return isFaultText(lower) ? CellKind::Fault : CellKind::Value;
}

} // namespace

bool isFaultText(QByteArrayView text)
{
    const QByteArray lower = lowered(text.trimmed());
    if (lower == "timeout" || lower == "timed out" || lower == "err!")
        return true;
    return std::any_of(faults.begin(), faults.end(), [&](const char *fault) { return lower.contains(fault); });
}

CellKind kindOfCell(QByteArrayView cell, bool freeText)
{
    cell = cell.trimmed();
    if (cell.isEmpty())
        return CellKind::Empty;
    if (!cell.startsWith('['))
        return freeText ? CellKind::Value : kindOfWord(cell);
    QByteArrayView inside = cell.sliced(1);
    if (!inside.endsWith(']')) // a name may begin with a bracket: "[kworker] x"; a number may not
        return freeText ? CellKind::Value : CellKind::Failed;
    inside.chop(1);
    const CellKind kind = kindOfWord(inside.trimmed());
    return kind == CellKind::Value ? CellKind::Failed : kind;
}

UnknownReason reasonOf(CellKind kind)
{
    switch (kind) {
    case CellKind::NotSupported:
        return UnknownReason::NotSupported;
    case CellKind::NoPermission:
        return UnknownReason::NoPermission;
    case CellKind::NotFound:
    case CellKind::Failed:
    case CellKind::Fault:
        return UnknownReason::Failed;
    case CellKind::Value:
    case CellKind::Empty:
        break;
    }
    return UnknownReason::Unparsable;
}

QString wordOf(QByteArrayView cell)
{
    cell = cell.trimmed();
    if (cell.size() > 2 && cell.startsWith('[') && cell.endsWith(']'))
        cell = cell.sliced(1, cell.size() - 2).trimmed();
    return cleanLine(cell, 120);
}

} // namespace pilothouse

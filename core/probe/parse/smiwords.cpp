// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/smiwords.h"

#include "core/base/cleantext.h"

#include <QVarLengthArray>

#include <algorithm>
#include <array>
#include <string_view>

namespace pilothouse {

namespace {

struct Word
{
    std::string_view text; ///< lower case
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
constexpr std::array<std::string_view, 7> faults{
    "unknown error", "requires reset", "reset required", "is lost", "inaccessible", "fallen off the bus",
    "access blocked by the operating system",
};

/// Every cell of every row is looked at: a lower case copy that needs no memory of its own where the text is short.
class Lower
{
public:
    explicit Lower(QByteArrayView text)
        : m_text(text.size())
    {
        std::transform(text.begin(), text.end(), m_text.begin(),
            [](char c) { return c >= 'A' && c <= 'Z' ? char(c + ('a' - 'A')) : c; });
    }
    [[nodiscard]] std::string_view view() const { return {m_text.data(), std::size_t(m_text.size())}; }

private:
    QVarLengthArray<char, 128> m_text;
};

/// Most cells are figures, and every word has letters.
bool hasLetters(QByteArrayView text)
{
    return std::any_of(text.begin(), text.end(), [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

bool isFault(std::string_view lower)
{
    if (lower == "timeout" || lower == "timed out" || lower == "err!")
        return true;
    return std::any_of(faults.begin(), faults.end(),
        [&](std::string_view fault) { return lower.find(fault) != std::string_view::npos; });
}

CellKind kindOfWord(QByteArrayView word)
{
    if (!hasLetters(word))
        return CellKind::Value;
    const Lower lower(word);
    for (const Word &known : words) {
        if (lower.view() == known.text)
            return known.kind;
    }
    return isFault(lower.view()) ? CellKind::Fault : CellKind::Value;
}

} // namespace

bool isFaultText(QByteArrayView text)
{
    return isFault(Lower(text.trimmed()).view());
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

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One assignment mended: every rule lays down what it would change, and all of it is applied at once. Pure.

#include "core/units/unittext.h"

#include <QList>
#include <QString>

namespace pilothouse {

class Correction
{
public:
    explicit Correction(const UnitLine &line) : m_line(line) { }

    /// Offsets are of the line's value. A change inside one that was laid down before is left out.
    void insert(qsizetype at, const QString &text) { replace(at, at, text); }
    void replace(qsizetype begin, qsizetype end, const QString &text);
    /// The part becomes the text of `sh -c`, with its dollars doubled. `execLast`: the shell gives way to the last
    /// command.
    void wrapInShell(qsizetype begin, qsizetype end, bool execLast, bool doubleDollars);
    /// The line is taken out.
    void comment() { m_comment = true; }

    [[nodiscard]] bool isWrapped(qsizetype at) const;
    [[nodiscard]] bool isEmpty() const { return m_edits.isEmpty() && !m_comment; }
    /// "key=value" as it can be pasted; empty when it holds what cannot be shown or copied, or is too long.
    [[nodiscard]] QString text() const;

private:
    struct Edit
    {
        qsizetype begin = 0;
        qsizetype end = 0;
        QString text;
        bool wraps = false;
        bool execLast = false;
        bool doubleDollars = true;
    };

    [[nodiscard]] QString applied(qsizetype begin, qsizetype end, bool wrapping) const;

    UnitLine m_line;
    QList<Edit> m_edits;
    bool m_comment = false;
};

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A unit's files as `systemctl cat` prints them, read by systemd's own rules. Values and pure functions, any thread.
// Texts are the host's and hostile: whoever shows them cleans them.

#include <QByteArrayView>
#include <QList>
#include <QString>
#include <QStringList>

namespace pilothouse {

/// One assignment. `value` is joined over continuation lines, as systemd joins them.
struct UnitLine
{
    QString file;
    int line = 0; ///< in its file, of the key, from 1
    int lastLine = 0; ///< of its last continuation line
    QString section; ///< without brackets
    QString key;
    QString value;

    friend bool operator==(const UnitLine &, const UnitLine &) = default;
};

struct UnitText
{
    QList<UnitLine> lines; ///< in the order in which systemd reads them
    QStringList files;
    bool cut = false; ///< longer than is read here: the end is missing

    /// The assignments of a list that are left after the last empty one.
    [[nodiscard]] QList<UnitLine> listOf(QStringView section, QStringView key) const;
    /// The assignment that counts of a setting that has one value (any of the keys); null: none, or reset.
    [[nodiscard]] const UnitLine *last(QStringView section, const QStringList &keys) const;
};

/// `paths`: FragmentPath and DropInPaths of `systemctl show`, in this order; only they are headers, as a comment can
/// look
/// like one. Where they are empty, "# /…" lines are taken for headers. At most 1 MiB and 20,000 assignments are read.
[[nodiscard]] UnitText readUnitText(QByteArrayView cat, const QStringList &paths);

} // namespace pilothouse

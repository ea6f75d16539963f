// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A host as the text of a [[host]] table: written onto the end of a hosts.toml, or cut out of it. Pure, any thread.

#include "core/fleet/hostspec.h"

#include <QByteArray>

namespace pilothouse {

/// `text` unchanged, then the host with what differs from the defaults; line ends as in `text`.
[[nodiscard]] QByteArray withHostAppended(const QByteArray &text, const HostSpec &host);

/// What it is written with: values of TOML, and the lines of a [[host.service]] table.
[[nodiscard]] QString tomlString(const QString &text);
[[nodiscard]] QString tomlStrings(const QStringList &texts);
[[nodiscard]] QString tomlGpus(const QStringList &gpus); ///< indices as integers, UUIDs as strings
[[nodiscard]] QStringList linesOf(const ServiceSpec &service);
[[nodiscard]] QByteArray lineEndOf(const QByteArray &text);

/// With their line ends; joined they are the text.
[[nodiscard]] QList<QByteArray> splitLines(const QByteArray &text);

/// A text in three parts that together are the whole of it.
struct TextCut
{
    QByteArray before;
    QByteArray lines; ///< whole lines
    QByteArray after;
};

/// Cuts the table of lines [firstLine, lastLine], counted from one, out with the comments that stand right above it and
/// right below, and with one of two blank lines around it. A comment at the very beginning of the text, and one right
/// above the next table, are somebody else's.
[[nodiscard]] TextCut cutTable(const QByteArray &text, int firstLine, int lastLine);

} // namespace pilothouse

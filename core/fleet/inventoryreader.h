// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The text of one hosts.toml as typed values, without following its includes. Pure, any thread. toml++ and its
// exceptions stay behind this header.

#include "core/base/result.h"
#include "core/fleet/hostspec.h"

#include <QByteArrayView>

namespace pilothouse {

/// A place in a file, counted from one.
struct TextPlace
{
    int line = 0;
    int column = 0;

    friend auto operator<=>(const TextPlace &, const TextPlace &) = default;
};

/// "file:line:column".
[[nodiscard]] QString displayOf(const QString &file, TextPlace place);

struct InventoryInclude
{
    QString path; ///< as written
    TextPlace place;
};

/// A key with its value, and where they stand.
struct InventoryEntry
{
    QString key;
    TextPlace place; ///< of the key
    TextPlace begin; ///< of the value
    TextPlace end;   ///< just behind it
};

struct InventoryTable
{
    TextPlace place;
    QList<InventoryEntry> entries; ///< values, no tables
    int lastLine = 0;              ///< of the entries
};

struct InventoryHost
{
    HostSpec spec; ///< `source` is the file, `origin` is left to the caller
    TextPlace place;
    int lastLine = 0; ///< of what belongs to it, services too
    InventoryTable table;
    QList<InventoryTable> services; ///< as in `spec`
};

struct InventoryText
{
    QList<InventoryInclude> includes;
    QList<InventoryHost> hosts; ///< in file order
};

/// Errors: InventoryInvalid, the detail being "file:line:column: what is wrong and what was expected.", a line for each
/// mistake in the order of the text; a mistake of syntax stands alone.
[[nodiscard]] Result<InventoryText> readInventoryText(QByteArrayView text, const QString &file);

/// Full name of a systemd unit: "vllm" is "vllm.service". No value: no unit can have that name.
[[nodiscard]] std::optional<QString> fullUnitName(const QString &name);

} // namespace pilothouse

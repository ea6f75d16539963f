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

struct InventoryHost
{
    HostSpec spec; ///< `source` is the file, `origin` is left to the caller
    TextPlace place;
    int lastLine = 0; ///< of what belongs to it, services too
};

struct InventoryText
{
    QList<InventoryInclude> includes;
    QList<InventoryHost> hosts; ///< in file order
};

/// Errors: InventoryInvalid, the detail being "file:line:column: what is wrong and what was expected" for the first
/// mistake in the text.
[[nodiscard]] Result<InventoryText> readInventoryText(QByteArrayView text, const QString &file);

/// Full name of a systemd unit: "vllm" is "vllm.service". No value: no unit can have that name.
[[nodiscard]] std::optional<QString> fullUnitName(const QString &name);

} // namespace pilothouse

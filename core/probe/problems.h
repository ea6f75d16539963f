// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The table of problems that a snapshot may name: code, weight and advice. Texts say what was seen; the advice says
// what to do. Pure, any thread.

#include "core/host/system.h"

#include <QList>
#include <QString>

#include <optional>

namespace pilothouse {

/// `code` stands in the table (an unknown one comes back as a warning without advice). `gpu` is an index; -1 as none.
[[nodiscard]] Problem problemOf(const QString &code, const QString &text, int gpu = -1,
    std::optional<Problem::Severity> severity = {});

/// Every code of the table, for documents and tests.
[[nodiscard]] QStringList problemCodes();

} // namespace pilothouse

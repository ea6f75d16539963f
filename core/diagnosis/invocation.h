// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a command line runs: looked at word by word, so that a word which stands in somebody's argument is never taken for
// the program. Views into the process's own arguments, which must outlive it. Pure, any thread.

#include "core/host/process.h"

namespace pilothouse {

struct Invocation
{
    QStringView title;   ///< the whole command line, when it is one word with "::" in it (a renamed process)
    QStringView path;    ///< program; of a script that Python runs, the script
    QStringView program; ///< last part of path
    QStringView module;  ///< python -m
    QStringView code;    ///< python -c
    QList<QStringView> rest; ///< arguments behind the program or the module
    bool python = false;
};

[[nodiscard]] Invocation invocationOf(const QStringList &arguments);

} // namespace pilothouse

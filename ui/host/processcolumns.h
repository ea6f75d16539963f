// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The columns of the process table: one enum and one table of what each shows. Pure, any thread.

#include "core/host/process.h"

#include <QVariant>

#include <span>

namespace pilothouse {

enum class ProcessColumn { Name, GpuMemory, Gpus, ProcessId, User, Owner, State, Running, HostMemory, Command, Count };

struct ProcessColumnInfo
{
    ProcessColumn column;
    const char *title;       ///< English source, context "ProcessTable"
    const char16_t *widest;  ///< a text as wide as the column ever needs; decides its width
    bool right;              ///< figures stand right
    QString (*display)(const Process &);
    QVariant (*sort)(const Process &); ///< what is displayed, comparable: rows move only when the shown value does
    QString (*hint)(const Process &);  ///< tooltip; may be empty
};

[[nodiscard]] std::span<const ProcessColumnInfo> processColumns();
[[nodiscard]] const ProcessColumnInfo &infoOf(ProcessColumn column);
/// Those that go where the table is too narrow for the command lines, first that which is missed least.
[[nodiscard]] std::span<const ProcessColumn> yieldingColumns();

/// Sum over its GPUs; unknown with the first reason when any part is, absent for none.
[[nodiscard]] Quantity<qint64> gpuMemoryOf(const Process &process);
/// Identity of its row: PID and start time; the PID alone where the host shows no start time.
[[nodiscard]] QString rowKeyOf(const Process &process);

} // namespace pilothouse

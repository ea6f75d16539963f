// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The columns of the table of holders: one enum and one table of what each shows. Pure, any thread.

#include "core/diagnosis/diagnosis.h"
#include "core/host/process.h"
#include "ui/theme/severity.h"

#include <QVariant>

#include <span>

namespace pilothouse {

enum class ProcessColumn {
    Name,
    Judged, ///< its verdict
    GpuMemory,
    Gpus,
    ProcessId,
    Owner,
    Running,
    HostMemory,
    Role,
    User,
    State,
    Command,
    Why,
    Count
};

/// One process as the table knows it.
struct Holder
{
    Process process;
    std::optional<ProcessVerdict> verdict; ///< no value: no deep look has seen it yet
    Verdict family = Verdict::Unknown;     ///< of its family; its own without one

    friend bool operator==(const Holder &, const Holder &) = default;
};

struct ProcessColumnInfo
{
    ProcessColumn column;
    const char *title;       ///< English source, context "ProcessTable"
    const char16_t *widest;  ///< a text as wide as the column ever needs; decides its width
    bool right;              ///< figures stand right
    QString (*display)(const Holder &);
    QVariant (*sort)(const Holder &); ///< what is displayed, comparable: rows move only when the shown value does
    QString (*hint)(const Holder &);  ///< tooltip; may be empty
};

[[nodiscard]] std::span<const ProcessColumnInfo> processColumns();
[[nodiscard]] const ProcessColumnInfo &infoOf(ProcessColumn column);
/// Those that go where the table is too narrow for the reasons, first that which is missed least.
[[nodiscard]] std::span<const ProcessColumn> yieldingColumns();

/// Sum over its GPUs; unknown with the first reason when any part is, absent for none.
[[nodiscard]] Quantity<qint64> gpuMemoryOf(const Process &process);
[[nodiscard]] Severity severityOf(Verdict verdict);
/// Why, a sentence a line; what to do comes last.
[[nodiscard]] QString evidenceText(const ProcessVerdict &verdict);
/// Identity of its row: PID and start time; the PID alone where the host shows no start time.
[[nodiscard]] QString rowKeyOf(const Process &process);

} // namespace pilothouse

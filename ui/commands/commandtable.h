// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Every command of the console, once. Menus, shortcuts and the key table derive from it. Pure, any thread.

#include <QString>

#include <span>

namespace pilothouse {

enum class CommandId {
    AddHost,
    ImportHosts,
    TryDemo,
    ShowAudit,
    Quit,
    OpenTerminal,
    CopySshCommand,
    TakeSnapshot,
    RetryNow,
    EditHost,
    RemoveHost,
    FreeMemory,
    CheckUnit,
    ResetReadiness,
    ExportIncident,
    CopySummary,
    CopyTable,
    NextHost,
    PreviousHost,
    FilterHosts,
    FilterProcesses,
    PausePlot,
    PlotLive,
    Span5Minutes,
    Span1Hour,
    ThemeFollow,
    ThemeLight,
    ThemeDark,
    ShowKeys,
    About,
};

enum class MenuId { Hosts, Host, View, Help };

/// When a command is enabled.
enum class Needs {
    Nothing,
    AnyHost,   ///< the window has hosts
    Host,      ///< one is chosen
    Snapshot,  ///< and has been read at least once
    Connected, ///< and is connected now
    Trouble,   ///< and is neither connected nor connecting
    Reclaim,   ///< and memory on it can be freed
};

struct Command
{
    CommandId id;
    MenuId menu;
    const char *name;       ///< objectName of its action, stable
    const char *text;       ///< English source of its translation, context "Command"
    const char16_t *keys;   ///< portable text; empty: none
    Needs needs;
    bool checkable = false;
    bool separatorBefore = false;
};

[[nodiscard]] std::span<const Command> commandTable();
[[nodiscard]] const Command &commandOf(CommandId id);
[[nodiscard]] QString titleOf(MenuId menu);

} // namespace pilothouse

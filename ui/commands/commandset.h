// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The actions of a window, made from the command table. GUI thread; owned by the window.

#include "ui/commands/commandtable.h"

#include <QHash>
#include <QObject>

class QAction;
class QMenuBar;
class QWidget;

namespace pilothouse {

/// What the chosen host allows just now.
struct CommandContext
{
    bool anyHost = false;
    bool host = false;
    bool snapshot = false;
    bool connected = false;
    bool trouble = false;
    bool reclaim = false;

    friend bool operator==(const CommandContext &, const CommandContext &) = default;
};

class CommandSet final : public QObject
{
    Q_OBJECT
public:
    /// Adds the actions to `window`, so that their shortcuts work there, and fills `menus`.
    CommandSet(QWidget *window, QMenuBar *menus);

    [[nodiscard]] QAction *action(CommandId id) const;
    void setContext(const CommandContext &context);

signals:
    void triggered(pilothouse::CommandId id, bool checked);

private:
    QHash<int, QAction *> m_actions;
    CommandContext m_context;
};

/// Every command with keys, one a line, for the help dialog.
[[nodiscard]] QString keyTable();

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/commandset.h"

#include <QAction>
#include <QActionGroup>
#include <QCoreApplication>
#include <QKeySequence>
#include <QMenu>
#include <QMenuBar>

namespace pilothouse {

namespace {

bool isEnabled(Needs needs, const CommandContext &context)
{
    switch (needs) {
    case Needs::Nothing: return true;
    case Needs::AnyHost: return context.anyHost;
    case Needs::Host: return context.host;
    case Needs::Snapshot: return context.snapshot;
    case Needs::Connected: return context.connected;
    case Needs::Trouble: return context.trouble;
    case Needs::Reclaim: return context.reclaim;
    }
    return false;
}

QString textOf(const Command &command)
{
    return QCoreApplication::translate("Command", command.text);
}

} // namespace

CommandSet::CommandSet(QWidget *window, QMenuBar *menus)
    : QObject(window)
{
    QHash<int, QMenu *> byId;
    auto *themes = new QActionGroup(this);
    for (const Command &command : commandTable()) {
        QMenu *&menu = byId[static_cast<int>(command.menu)];
        if (!menu) {
            menu = menus->addMenu(titleOf(command.menu));
            menu->setObjectName(QStringLiteral("menu%1").arg(static_cast<int>(command.menu)));
        }
        if (command.separatorBefore)
            menu->addSeparator();
        auto *action = new QAction(textOf(command), this);
        action->setObjectName(QString::fromLatin1(command.name));
        action->setCheckable(command.checkable);
        action->setShortcut(QKeySequence(QString::fromUtf16(command.keys), QKeySequence::PortableText));
        action->setMenuRole(QAction::NoRole);
        action->setEnabled(isEnabled(command.needs, m_context));
        if (command.checkable && command.id != CommandId::PausePlot)
            themes->addAction(action);
        menu->addAction(action);
        window->addAction(action);
        const CommandId id = command.id;
        connect(action, &QAction::triggered, this, [this, id](bool checked) { emit triggered(id, checked); });
        m_actions.insert(static_cast<int>(id), action);
    }
}

QAction *CommandSet::action(CommandId id) const
{
    return m_actions.value(static_cast<int>(id));
}

void CommandSet::setContext(const CommandContext &context)
{
    if (context == m_context)
        return;
    m_context = context;
    for (const Command &command : commandTable())
        action(command.id)->setEnabled(isEnabled(command.needs, context));
}

QString keyTable()
{
    QString text;
    for (const Command &command : commandTable()) {
        const QKeySequence keys(QString::fromUtf16(command.keys), QKeySequence::PortableText);
        if (keys.isEmpty())
            continue;
        const QString title = textOf(command).remove(u'&').remove(u'…');
        text += keys.toString(QKeySequence::NativeText).leftJustified(18) + title + u'\n';
    }
    return text;
}

} // namespace pilothouse

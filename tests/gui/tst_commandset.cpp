// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/commands/commandset.h"

#include "tests/support/testmain.h"

#include <QAction>
#include <QApplication>
#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QSet>
#include <QSignalSpy>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstCommandSet : public QObject
{
    Q_OBJECT
private slots:
    void table_namesAndKeysAreUnique()
    {
        QSet<QString> names;
        QSet<QString> keys;
        for (const Command &command : commandTable()) {
            const QString name = QString::fromLatin1(command.name);
            QVERIFY2(!names.contains(name), command.name);
            names.insert(name);
            const QKeySequence sequence(QString::fromUtf16(command.keys), QKeySequence::PortableText);
            QCOMPARE(sequence.isEmpty(), QStringView(command.keys).isEmpty());
            if (sequence.isEmpty())
                continue;
            QVERIFY2(!keys.contains(sequence.toString()), command.name);
            keys.insert(sequence.toString());
        }
    }

    void table_noUnmodifiedLetter()
    {
        for (const Command &command : commandTable()) {
            const QKeySequence sequence(QString::fromUtf16(command.keys), QKeySequence::PortableText);
            if (sequence.isEmpty())
                continue;
            const bool isFunctionKey = sequence[0].key() >= Qt::Key_F1 && sequence[0].key() <= Qt::Key_F35;
            QVERIFY2(isFunctionKey || sequence[0].keyboardModifiers() != Qt::NoModifier, command.name);
        }
    }

    void menus_mnemonicsAreUnique()
    {
        QMainWindow window;
        const CommandSet commands(&window, window.menuBar());
        for (const QAction *top : window.menuBar()->actions()) {
            QSet<QChar> used;
            for (const QAction *action : top->menu()->actions()) {
                if (action->isSeparator())
                    continue;
                const qsizetype at = action->text().indexOf(u'&');
                QVERIFY2(at >= 0, qPrintable(action->text()));
                const QChar letter = action->text().at(at + 1).toLower();
                QVERIFY2(!used.contains(letter), qPrintable(action->text()));
                used.insert(letter);
            }
        }
    }

    void context_enables_data()
    {
        QTest::addColumn<CommandContext>("context");
        QTest::addColumn<QStringList>("enabled");
        QTest::addColumn<QStringList>("disabled");
        QTest::newRow("nothing") << CommandContext{} << QStringList{u"hosts.add"_s, u"help.keys"_s}
                                 << QStringList{u"host.terminal"_s, u"host.retry"_s, u"view.nextHost"_s};
        QTest::newRow("failed host") << CommandContext{true, true, false, false, true}
                                     << QStringList{u"host.terminal"_s, u"host.retry"_s, u"view.nextHost"_s}
                                     << QStringList{u"host.snapshot"_s, u"view.pausePlot"_s};
        QTest::newRow("live host") << CommandContext{true, true, true, true, false}
                                   << QStringList{u"host.snapshot"_s, u"view.pausePlot"_s, u"host.copyTable"_s}
                                   << QStringList{u"host.retry"_s};
    }
    void context_enables()
    {
        QFETCH(CommandContext, context);
        QFETCH(QStringList, enabled);
        QFETCH(QStringList, disabled);
        QMainWindow window;
        CommandSet commands(&window, window.menuBar());
        commands.setContext(context);
        for (const QString &name : enabled)
            QVERIFY2(window.findChild<QAction *>(name)->isEnabled(), qPrintable(name));
        for (const QString &name : disabled)
            QVERIFY2(!window.findChild<QAction *>(name)->isEnabled(), qPrintable(name));
    }

    void trigger_namesTheCommand()
    {
        QMainWindow window;
        CommandSet commands(&window, window.menuBar());
        CommandId last = CommandId::About;
        connect(&commands, &CommandSet::triggered, this, [&](CommandId id, bool) { last = id; });
        commands.action(CommandId::AddHost)->trigger();
        QCOMPARE(last, CommandId::AddHost);
    }

    void keyTable_listsThem()
    {
        const QString text = keyTable();
        QVERIFY(text.contains(u"Ctrl+T"_s));
        QVERIFY(text.contains(u"Open Terminal"_s));
        QVERIFY(!text.contains(u'&'));
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstCommandSet)
#include "tst_commandset.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/terminal.h"

#include "tests/support/testmain.h"

#include <QFile>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

const QStringList sshLine{u"ssh"_s, u"-p"_s, u"2222"_s, u"root@a host; touch /tmp/x"_s};

QStringList lineWith(const QStringList &installed, const QString &preferred = {})
{
    const auto find = [&](const QString &name) {
        const QString base = name.section(u'/', -1);
        return installed.contains(base) ? QString(u"/usr/bin/"_s + base) : QString();
    };
    const Result<QStringList> line = terminalLine(sshLine, preferred, find);
    return line ? *line : QStringList();
}

} // namespace

class TstTerminal : public QObject
{
    Q_OBJECT
private slots:
    void line_data()
    {
        QTest::addColumn<QStringList>("installed");
        QTest::addColumn<QString>("preferred");
        QTest::addColumn<QStringList>("before");
        QTest::newRow("Debian's choice first") << QStringList{u"xterm"_s, u"x-terminal-emulator"_s} << QString()
                                               << QStringList{u"/usr/bin/x-terminal-emulator"_s, u"-e"_s};
        QTest::newRow("gnome-terminal") << QStringList{u"gnome-terminal"_s} << QString()
                                        << QStringList{u"/usr/bin/gnome-terminal"_s, u"--"_s};
        QTest::newRow("kitty takes it as it is") << QStringList{u"kitty"_s} << QString()
                                                 << QStringList{u"/usr/bin/kitty"_s};
        QTest::newRow("wezterm") << QStringList{u"wezterm"_s} << QString()
                                 << QStringList{u"/usr/bin/wezterm"_s, u"start"_s, u"--"_s};
        QTest::newRow("TERMINAL wins") << QStringList{u"xterm"_s, u"foot"_s} << u"foot"_s
                                       << QStringList{u"/usr/bin/foot"_s};
        QTest::newRow("TERMINAL with arguments and path")
            << QStringList{u"konsole"_s} << u"/opt/bin/konsole --hold"_s
            << QStringList{u"/usr/bin/konsole"_s, u"--hold"_s, u"-e"_s};
        QTest::newRow("TERMINAL unknown here") << QStringList{u"myterm"_s} << u"myterm"_s
                                               << QStringList{u"/usr/bin/myterm"_s, u"-e"_s};
        QTest::newRow("TERMINAL not installed") << QStringList{u"xterm"_s} << u"gone"_s
                                                << QStringList{u"/usr/bin/xterm"_s, u"-e"_s};
    }
    void line()
    {
        QFETCH(QStringList, installed);
        QFETCH(QString, preferred);
        QFETCH(QStringList, before);
        QCOMPARE(lineWith(installed, preferred), before + sshLine);
    }

    void none_isSaid()
    {
        const Result<QStringList> line = terminalLine(sshLine, {}, [](const QString &) { return QString(); });
        QVERIFY(!line);
        QVERIFY(line.error().advice.contains(u"TERMINAL"_s));
    }

    void open_argumentsArriveOneByOne()
    {
        QTemporaryDir folder;
        const QString program = folder.filePath(u"fake-terminal"_s);
        const QString output = folder.filePath(u"arguments"_s);
        QFile script(program);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + QFile::encodeName(output) + ".part'\nmv '"
                     + QFile::encodeName(output) + ".part' '" + QFile::encodeName(output) + "'\n");
        script.close();
        script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        qputenv("TERMINAL", QFile::encodeName(program));
        QVERIFY(openTerminal(sshLine));
        QTRY_VERIFY(QFile::exists(output));
        QFile file(output);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromUtf8(file.readAll()).trimmed().split(u'\n'), QStringList{u"-e"_s} + sshLine);
    }
};

PILOTHOUSE_TEST_MAIN(TstTerminal)
#include "tst_terminal.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/simhosts.h"
#include "tests/support/testmain.h"

#include <QFile>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// The end of the console while threads still run.
class TstConsoleEnd final : public QObject
{
    Q_OBJECT
private slots:
    void threadsThatAreLeftBehind_crashNothing()
    {
        SimHosts hosts;
        QVERIFY2(hosts.start({u"--hosts"_s, u"20"_s, u"--fast"_s}), hosts.errors().constData());
        for (int i = 0; i < 10; ++i) {
            const QTemporaryDir home;
            QProcess console;
            console.setProcessEnvironment(environmentIn(home.path()));
            console.start(QStringLiteral(PILOTHOUSE_HASTY_CONSOLE), hosts.arguments());
            console.setReadChannel(QProcess::StandardError);
            QByteArray said;
            QTRY_VERIFY_WITH_TIMEOUT((said += console.readAll()).contains("first window painted"), 20'000);
            QVERIFY(QFile::exists(home.filePath(u"pilothouse/console.socket"_s)));
            QTest::qWait(100 * i); // in every stage of connecting
            console.terminate();
            QVERIFY(console.waitForFinished(20'000));
            QVERIFY2(console.exitStatus() == QProcess::NormalExit, console.readAllStandardError().constData());
            QCOMPARE(console.exitCode(), 0);
            QVERIFY(!QFile::exists(home.filePath(u"pilothouse/console.socket"_s)));
        }
    }

private:
    static QProcessEnvironment environmentIn(const QString &home)
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const QString &name : {u"XDG_STATE_HOME"_s, u"XDG_CONFIG_HOME"_s, u"XDG_RUNTIME_DIR"_s, u"HOME"_s})
            environment.insert(name, home);
        environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
        environment.insert(u"QT_LOGGING_RULES"_s, u"pilothouse.startup.info=true"_s);
        return environment;
    }
};

PILOTHOUSE_TEST_MAIN(TstConsoleEnd)
#include "tst_consoleend.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;

namespace {

struct Ended
{
    int exitCode = -1;
    QString output;
    QString errors;
};

QString programPath()
{
    return QStringLiteral(PILOTHOUSE_BINARY_DIR) + u"/bin/pilothouse"_s;
}

QProcessEnvironment environmentIn(const QString &home)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const QString &name : {u"XDG_STATE_HOME"_s, u"XDG_CONFIG_HOME"_s, u"XDG_RUNTIME_DIR"_s, u"HOME"_s})
        environment.insert(name, home);
    environment.insert(u"TMPDIR"_s, home);
    environment.remove(u"DISPLAY"_s);
    environment.remove(u"WAYLAND_DISPLAY"_s);
    return environment;
}

Ended run(const QString &home, const QStringList &arguments, const QString &platform = u"offscreen"_s)
{
    QProcess process;
    QProcessEnvironment environment = environmentIn(home);
    environment.remove(u"QT_QPA_PLATFORM"_s);
    if (!platform.isEmpty())
        environment.insert(u"QT_QPA_PLATFORM"_s, platform);
    process.setProcessEnvironment(environment);
    process.start(programPath(), arguments);
    constexpr int limitMs = 90'000;
    process.waitForFinished(limitMs);
    return {process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1,
            QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
}

} // namespace

class TstPilothouse : public QObject
{
    Q_OBJECT
private slots:
    void help_needsNoDisplay()
    {
        const QTemporaryDir home;
        const Ended ended = run(home.path(), {u"--help"_s}, {});
        QCOMPARE(ended.exitCode, 0);
        QVERIFY(ended.output.contains(u"--screenshot"_s));
    }

    void noDisplay_isSaid()
    {
        const QTemporaryDir home;
        const Ended ended = run(home.path(), {}, {});
        QCOMPARE(ended.exitCode, 8);
        QVERIFY(ended.errors.contains(u"no display"_s));
    }

    void usage_exits2()
    {
        const QTemporaryDir home;
        QCOMPARE(run(home.path(), {u"--frob"_s}).exitCode, 2);
    }

    void brokenInventory_exits8()
    {
        const QTemporaryDir home;
        QFile file(home.filePath(u"hosts.toml"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[[host]\nname = 1\n");
        file.close();
        const QString picture = home.filePath(u"x.png"_s);
        const Ended ended = run(home.path(), {u"--config"_s, home.path(), u"--screenshot"_s, picture});
        QCOMPARE(ended.exitCode, 8);
        QVERIFY(ended.errors.contains(u"hosts.toml"_s));
    }

    void refusedHost_exits3()
    {
        const QTemporaryDir home;
        const QString picture = home.filePath(u"x.png"_s);
        const Ended ended = run(home.path(), {u"--screenshot"_s, picture, u"127.0.0.1:1"_s, u"--timeout"_s, u"5"_s});
        QVERIFY2(ended.output.contains(u"127.0.0.1:1"_s), qPrintable(ended.errors));
        QVERIFY2(ended.output.contains(u"refused"_s), qPrintable(ended.output));
        QCOMPARE(ended.exitCode, 3);
        QVERIFY(!QImage(picture).isNull());
    }

    void demo_printsTheFleetAndLeavesAPicture()
    {
        const QTemporaryDir home;
        const QString picture = home.filePath(u"demo.png"_s);
        const Ended ended = run(home.path(), {u"--demo"_s, u"--screenshot"_s, picture}, u"offscreen"_s);
        QVERIFY2(ended.exitCode == 0, qPrintable(ended.errors));
        for (const QString &host : {u"gpu1"_s, u"gpu2"_s, u"gpu3"_s})
            QVERIFY2(ended.output.contains(host), qPrintable(ended.output));
        QVERIFY2(ended.output.contains(u"755 / 765 GiB"_s), qPrintable(ended.output));
        QVERIFY2(ended.errors.isEmpty(), qPrintable(ended.errors));
        QCOMPARE(QImage(picture).size(), QSize(1280, 800));
        const QStringList left = QDir(home.path()).entryList({u"pilothouse-*"_s}, QDir::Dirs);
        QVERIFY2(left.isEmpty(), qPrintable(left.join(u' ')));
    }

    void secondStart_raisesTheFirst()
    {
        const QTemporaryDir home;
        QProcess first;
        QProcessEnvironment environment = environmentIn(home.path());
        environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
        first.setProcessEnvironment(environment);
        first.start(programPath(), {});
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(home.filePath(u"pilothouse/console.socket"_s)), 20'000);
        const Ended second = run(home.path(), {u"127.0.0.1:1"_s});
        QCOMPARE(second.exitCode, 0);
        QCOMPARE(first.state(), QProcess::Running);
        first.terminate();
        QVERIFY(first.waitForFinished(10'000));
        QCOMPARE(first.exitStatus(), QProcess::NormalExit);
        QCOMPARE(first.exitCode(), 0);
    }
};

PILOTHOUSE_TEST_MAIN(TstPilothouse)
#include "tst_pilothouse.moc"

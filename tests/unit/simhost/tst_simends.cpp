// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// How simulated hosts end, as a whole and one alone, and what they leave: the program itself, reached by OpenSSH's client.
#include "tests/support/simhosts.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QJsonArray>
#include <QStandardPaths>
#include <QTcpSocket>

#include <algorithm>
#include <csignal>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

struct Ran
{
    int code = -1; ///< -1: not over in time
    QByteArray output;
    QByteArray errors;
};

Ran finished(QProcess &process, int limitMs = 20'000)
{
    Ran ran;
    if (process.waitForFinished(limitMs) && process.exitStatus() == QProcess::NormalExit)
        ran.code = process.exitCode();
    ran.output = process.readAllStandardOutput();
    ran.errors = process.readAllStandardError();
    return ran;
}

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

QList<qint64> childrenOf(qint64 pid)
{
    QList<qint64> children;
    for (const QByteArray &word : contentOf(u"/proc/%1/task/%1/children"_s.arg(pid)).simplified().split(' ')) {
        if (!word.isEmpty())
            children += word.toLongLong();
    }
    return children;
}

QList<qint64> treeOf(qint64 pid)
{
    QList<qint64> all;
    for (const qint64 child : childrenOf(pid))
        all += QList<qint64>{child} + treeOf(child);
    return all;
}

bool isAlive(qint64 pid)
{
    const QByteArray stat = contentOf(u"/proc/%1/stat"_s.arg(pid));
    return !stat.isEmpty() && !stat.contains(") Z ");
}

} // namespace

class TstSimends final : public QObject
{
    Q_OBJECT

    std::unique_ptr<SimHosts> m_hosts;

    [[nodiscard]] QProcess &program() const { return m_hosts->process(); }
    [[nodiscard]] Ran ssh(const QString &host, const QString &command, int limitMs = 20'000) const
    {
        QProcess process;
        process.start(u"ssh"_s, m_hosts->sshArguments(host) + QStringList{command});
        process.closeWriteChannel();
        return finished(process, limitMs);
    }
    /// PID, on this machine, of the process that holds a host's namespaces together.
    [[nodiscard]] qint64 bootOf(const QByteArray &host) const
    {
        for (const qint64 child : childrenOf(program().processId())) {
            const auto names = [&](qint64 pid) { return contentOf(u"/proc/%1/cmdline"_s.arg(pid)).contains(host); };
            if (names(child))
                return child;
        }
        return 0;
    }

private slots:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable(u"ssh"_s).isEmpty())
            PILOTHOUSE_SKIP("No OpenSSH client here.");
        SimHosts trial;
        if (!trial.start({u"--scenario"_s, u"plain"_s}))
            PILOTHOUSE_SKIP(trial.errors().constData());
    }
    void init() { m_hosts = std::make_unique<SimHosts>(); }
    void cleanup() { m_hosts.reset(); }

    void oneHost_thatDiesTakesNobodyAlong()
    {
        QVERIFY(m_hosts->start({u"--scenario"_s, u"demo"_s}));
        QProcess session;
        session.start(u"ssh"_s, m_hosts->sshArguments(u"gpu2"_s) + QStringList{u"echo up; exec sleep 1000"_s});
        QVERIFY(session.waitForReadyRead(10'000));
        const qint64 boot = bootOf("gpu2");
        QVERIFY(boot > 0);
        const QList<qint64> inside = treeOf(boot);
        QVERIFY(inside.size() > 2);
        QCOMPARE(::kill(pid_t(boot), SIGKILL), 0);
        // Its sessions end as those of a machine that is gone, and so does every process in it.
        QVERIFY(session.waitForFinished(10'000));
        QVERIFY(session.exitCode() != 0);
        for (const qint64 pid : inside)
            QTRY_VERIFY2(!isAlive(pid), qPrintable(QString::number(pid)));
        const Ran refused = ssh(u"gpu2"_s, u"true"_s);
        QVERIFY2(refused.code != 0, refused.output.constData());
        QCOMPARE(ssh(u"gpu1"_s, u"hostname"_s).output, QByteArray("gpu1\n"));
        QCOMPARE(ssh(u"gpu3"_s, u"hostname"_s).output, QByteArray("gpu3\n"));
        QCOMPARE(program().state(), QProcess::Running);
        QVERIFY(m_hosts->end());
        QCOMPARE(program().exitCode(), 0);
    }

    void oneHost_thatFreezesHoldsNobodyUp()
    {
        QVERIFY(m_hosts->start({u"--scenario"_s, u"demo"_s}));
        const QList<qint64> inits = childrenOf(bootOf("gpu2"));
        QCOMPARE(inits.size(), 1);
        QCOMPARE(::kill(pid_t(inits.first()), SIGSTOP), 0);
        QProcess waiting;
        waiting.start(u"ssh"_s, m_hosts->sshArguments(u"gpu2"_s) + QStringList{u"hostname"_s});
        waiting.closeWriteChannel();
        QCOMPARE(ssh(u"gpu1"_s, u"hostname"_s).output, QByteArray("gpu1\n"));
        QVERIFY(!waiting.waitForFinished(500)); // it hangs, as a frozen host does
        QCOMPARE(::kill(pid_t(inits.first()), SIGCONT), 0);
        QCOMPARE(finished(waiting).output, QByteArray("gpu2\n"));
    }

    void frozenHost_endsWithTheProgram()
    {
        QVERIFY(m_hosts->start({u"--scenario"_s, u"demo"_s}));
        const qint64 boot = bootOf("gpu2");
        const QList<qint64> inits = childrenOf(boot);
        QCOMPARE(inits.size(), 1);
        QCOMPARE(::kill(pid_t(inits.first()), SIGSTOP), 0);
        QVERIFY(m_hosts->end());
        QTRY_VERIFY(!isAlive(inits.first()));
        QTRY_VERIFY(!isAlive(boot));
    }

    void stuckTool_isOutlivedByNobody()
    {
        if (!QFile::exists(u"/dev/fuse"_s))
            PILOTHOUSE_SKIP("No /dev/fuse here: nothing can be made to hang in the kernel.");
        QVERIFY(m_hosts->start({u"--scenario"_s, u"plain"_s}));
        const QString stick = u"echo 'hang = stuck' >> /run/pilothouse-sim/gpus.conf; nvidia-smi -L >/tmp/smi 2>&1 & "
                              "echo $! >/tmp/pid"_s;
        QCOMPARE(ssh(u"gpu1"_s, stick).code, 0);
        const auto state = [this] {
            return ssh(u"gpu1"_s, u"p=$(cat /tmp/pid); cut -d')' -f2 /proc/$p/stat | cut -c2"_s).output.trimmed();
        };
        QTRY_COMPARE_WITH_TIMEOUT(state(), QByteArray("D"), 20'000);
        // Neither signal reaches it, and `timeout` waits in vain.
        QCOMPARE(ssh(u"gpu1"_s, u"p=$(cat /tmp/pid); kill -TERM $p; kill -KILL $p; sleep 0.5; cut -d')' -f2 /proc/$p/stat | cut -c2"_s)
                     .output.trimmed(), QByteArray("D"));
        // The host itself goes on.
        QCOMPARE(ssh(u"gpu1"_s, u"ls /run/pilothouse-sim/driver >/dev/null; cat /proc/loadavg >/dev/null; echo well"_s).output,
                 QByteArray("well\n"));
        // Well again: the tool dies of the signal that it had.
        QCOMPARE(ssh(u"gpu1"_s, u"sed -i '/^hang/d' /run/pilothouse-sim/gpus.conf"_s).code, 0);
        QTRY_COMPARE_WITH_TIMEOUT(ssh(u"gpu1"_s, u"test -d /proc/$(cat /tmp/pid) || echo gone"_s).output,
                                  QByteArray("gone\n"), 20'000);
        QCOMPARE(ssh(u"gpu1"_s, u"nvidia-smi -L | wc -l"_s).output, QByteArray("8\n"));
    }

    void stuckTool_diesWithItsHost_data()
    {
        QTest::addColumn<bool>("byForce");
        QTest::newRow("in order") << false;
        QTest::newRow("killed") << true;
    }
    void stuckTool_diesWithItsHost()
    {
        QFETCH(const bool, byForce);
        if (!QFile::exists(u"/dev/fuse"_s))
            PILOTHOUSE_SKIP("No /dev/fuse here: nothing can be made to hang in the kernel.");
        QVERIFY(m_hosts->start({u"--scenario"_s, u"plain"_s}));
        QCOMPARE(ssh(u"gpu1"_s, u"echo 'hang = stuck' >> /run/pilothouse-sim/gpus.conf; nvidia-smi -L >/dev/null 2>&1 & "
                               "until grep -q ' D ' /proc/$!/stat; do sleep 0.1; done"_s).code, 0);
        const QList<qint64> all = treeOf(program().processId());
        QVERIFY(all.size() > 3);
        if (byForce) {
            program().kill();
            QVERIFY(program().waitForFinished(10'000));
        } else {
            QVERIFY(m_hosts->end());
        }
        for (const qint64 pid : all)
            QTRY_VERIFY2(!isAlive(pid), qPrintable(QString::number(pid)));
    }

    void inputThatEndsAtOnce_endsTheHostsOnceTheyAreUp()
    {
        QTemporaryDir parent;
        const QString folder = parent.filePath(u"sim"_s);
        QProcess early;
        early.start(QStringLiteral(SIMHOST_PATH), {u"--dir"_s, folder, u"--scenario"_s, u"demo"_s});
        QVERIFY(early.waitForStarted());
        early.closeWriteChannel();
        QCOMPARE(finished(early).code, 0);
        QVERIFY(!QFile::exists(folder));
    }

    void termWhileTheyBoot_leavesNothing()
    {
        for (const int afterMs : {0, 30, 150}) {
            QTemporaryDir parent;
            const QString folder = parent.filePath(u"sim"_s);
            QProcess early;
            early.start(QStringLiteral(SIMHOST_PATH), {u"--dir"_s, folder, u"--scenario"_s, u"demo"_s});
            QVERIFY(early.waitForStarted());
            QVERIFY(!early.waitForFinished(afterMs) || afterMs == 0);
            const QList<qint64> inside = treeOf(early.processId());
            early.terminate();
            QVERIFY(early.waitForFinished(20'000));
            for (const qint64 pid : inside)
                QTRY_VERIFY2(!isAlive(pid), qPrintable(QString::number(pid)));
            QTRY_VERIFY2(!QFile::exists(folder + u"/identity"_s), qPrintable(QString::number(afterMs)));
        }
    }

    void killedProgram_isFollowedByAnother()
    {
        QTemporaryDir folder;
        const auto run = [&](QProcess &process) {
            process.start(QStringLiteral(SIMHOST_PATH), {u"--dir"_s, folder.path(), u"--scenario"_s, u"plain"_s});
            return process.waitForReadyRead(20'000) && process.readLine().contains("\"ready\":true");
        };
        QProcess first;
        QVERIFY(run(first));
        const QByteArray key = contentOf(folder.filePath(u"identity"_s));
        const QByteArray known = contentOf(folder.filePath(u"known_hosts"_s));
        QVERIFY(!key.isEmpty());
        // Not while it runs.
        QProcess beside;
        beside.start(QStringLiteral(SIMHOST_PATH), {u"--dir"_s, folder.path(), u"--scenario"_s, u"plain"_s});
        const Ran refused = finished(beside);
        QCOMPARE(refused.code, 8);
        QVERIFY2(refused.errors.contains("still run"), refused.errors.constData());
        QVERIFY(refused.output.isEmpty());
        QCOMPARE(contentOf(folder.filePath(u"identity"_s)), key);
        first.kill();
        QVERIFY(first.waitForFinished(10'000));
        QCOMPARE(contentOf(folder.filePath(u"identity"_s)), key); // left over
        QProcess second;
        QVERIFY(run(second));
        QVERIFY(contentOf(folder.filePath(u"identity"_s)) != key);
        QVERIFY(contentOf(folder.filePath(u"known_hosts"_s)) != known);
        QProcess client;
        client.start(u"ssh"_s, {u"-F"_s, folder.filePath(u"ssh_config"_s), u"-o"_s, u"BatchMode=yes"_s, u"gpu1"_s, u"hostname"_s});
        QCOMPARE(finished(client).output, QByteArray("gpu1\n"));
        second.closeWriteChannel();
        QCOMPARE(finished(second).code, 0);
        QVERIFY(QDir(folder.path()).isEmpty());
    }

    void folderThatIsTakenAway_stopsNobody()
    {
        QVERIFY(m_hosts->start({u"--scenario"_s, u"plain"_s}));
        QProcess session;
        session.start(u"ssh"_s, m_hosts->sshArguments(u"gpu1"_s) + QStringList{u"echo up; read x; echo $x"_s});
        QVERIFY(session.waitForReadyRead(10'000));
        QCOMPARE(session.readAll(), QByteArray("up\n"));
        QVERIFY(QDir(m_hosts->folder()).removeRecursively());
        session.write("still here\n");
        session.closeWriteChannel();
        QCOMPARE(finished(session).output, QByteArray("still here\n"));
        QVERIFY(m_hosts->end());
        QCOMPARE(program().exitCode(), 0);
    }

    void ports_areClosedAtTheEnd()
    {
        QVERIFY(m_hosts->start({u"--hosts"_s, u"30"_s, u"--fast"_s}));
        const QJsonArray hosts = m_hosts->ready().value(u"hosts"_s).toArray();
        QCOMPARE(hosts.size(), 30);
        QList<int> ports;
        for (const QJsonValue &host : hosts)
            ports += host[u"port"].toInt();
        const auto open = [&] {
            return std::ranges::count_if(ports, [](int port) {
                QTcpSocket socket;
                socket.connectToHost(u"127.0.0.1"_s, quint16(port));
                return socket.waitForConnected(2'000);
            });
        };
        QCOMPARE(open(), 30);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(m_hosts->end()); // with thirty clients that never said a word
        QCOMPARE(program().exitCode(), 0);
        QCOMPARE(open(), 0);
    }
};

PILOTHOUSE_TEST_MAIN(TstSimends)
#include "tst_simends.moc"

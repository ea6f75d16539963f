// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTcpSocket>
#include <QTemporaryDir>

using namespace Qt::StringLiterals;

namespace {

struct Answer
{
    int code = -1;
    QByteArray output;
    QByteArray errors;
};

Answer finished(QProcess &process, int timeoutMs = 20'000)
{
    Answer answer;
    if (process.waitForFinished(timeoutMs))
        answer.code = process.exitCode();
    answer.output = process.readAllStandardOutput();
    answer.errors = process.readAllStandardError();
    return answer;
}

bool isAlive(qint64 pid) { return QFile::exists(u"/proc/%1"_s.arg(pid)); }

QList<qint64> childrenOf(qint64 pid)
{
    QFile file(u"/proc/%1/task/%1/children"_s.arg(pid));
    QList<qint64> children;
    if (file.open(QIODevice::ReadOnly)) {
        for (const QByteArray &word : file.readAll().simplified().split(' ')) {
            if (!word.isEmpty())
                children.append(word.toLongLong());
        }
    }
    return children;
}

} // namespace

/// The program itself, reached by the OpenSSH client.
class TstPilothousesimhost : public QObject
{
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<QProcess> m_program;
    QJsonObject m_ready;

    bool start(const QStringList &options)
    {
        m_program = std::make_unique<QProcess>();
        m_program->start(QStringLiteral(SIMHOST_PATH), QStringList{u"--dir"_s, m_folder.path()} + options);
        while (m_program->state() != QProcess::NotRunning && !m_program->canReadLine()) {
            if (!m_program->waitForReadyRead(20'000))
                break;
        }
        m_ready = QJsonDocument::fromJson(m_program->readLine()).object();
        return m_ready.value(u"ready"_s).toBool();
    }
    [[nodiscard]] QStringList sshArguments(const QString &host) const
    {
        return {u"-F"_s, m_folder.filePath(u"ssh_config"_s), u"-o"_s, u"BatchMode=yes"_s, u"-o"_s,
                u"ControlPath=none"_s, host};
    }
    [[nodiscard]] Answer ssh(const QString &host, const QString &command, const QByteArray &input = {}) const
    {
        QProcess process;
        process.start(u"ssh"_s, sshArguments(host) + QStringList{command});
        process.write(input);
        process.closeWriteChannel();
        return finished(process);
    }

private slots:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable(u"ssh"_s).isEmpty())
            PILOTHOUSE_SKIP("No OpenSSH client here.");
        QTemporaryDir folder;
        QProcess trial;
        trial.start(QStringLiteral(SIMHOST_PATH), {u"--dir"_s, folder.path(), u"--scenario"_s, u"plain"_s});
        trial.closeWriteChannel();
        const Answer answer = finished(trial);
        if (answer.code != 0) {
            QVERIFY2(qEnvironmentVariable("CI") != u"true"_s, answer.errors.constData());
            PILOTHOUSE_SKIP(answer.errors.constData());
        }
    }
    void cleanup()
    {
        if (m_program && m_program->state() != QProcess::NotRunning) {
            m_program->closeWriteChannel();
            QVERIFY(m_program->waitForFinished(10'000));
        }
        m_program.reset();
    }

    void client_runsCommands()
    {
        QVERIFY(start({u"--scenario"_s, u"plain"_s}));
        QCOMPARE(m_ready.value(u"mode"_s).toString(), u"namespaces"_s);
        QCOMPARE(ssh(u"gpu1"_s, u"hostname"_s).output, QByteArray("gpu1\n"));
        const Answer smi = ssh(u"gpu1"_s, u"nvidia-smi --query-gpu=index,memory.used --format=csv"_s);
        QCOMPARE(smi.code, 0);
        QCOMPARE(smi.output.count('\n'), 9);
        const Answer failed = ssh(u"gpu1"_s, u"echo out; echo err >&2; exit 7"_s);
        QCOMPARE(failed.code, 7);
        QCOMPARE(failed.output, QByteArray("out\n"));
        QCOMPARE(failed.errors, QByteArray("err\n"));
    }

    void client_movesMuchBothWays()
    {
        QVERIFY(start({u"--scenario"_s, u"plain"_s}));
        const QByteArray much(3'000'000, 'x');
        QCOMPARE(ssh(u"gpu1"_s, u"cat"_s, much).output, much);
    }

    void client_signInIsByTheKeyAlone()
    {
        QVERIFY(start({u"--scenario"_s, u"plain"_s}));
        const Answer wrongUser = ssh(u"nobodyhere@gpu1"_s, u"true"_s);
        QCOMPARE(wrongUser.code, 255);
        QVERIFY(wrongUser.errors.contains("Permission denied (publickey)"));
        QProcess process;
        process.start(u"ssh"_s, QStringList{u"-o"_s, u"IdentityFile=none"_s, u"-o"_s, u"IdentityAgent=none"_s}
                                    + sshArguments(u"gpu1"_s) + QStringList{u"true"_s});
        // The configuration's key still counts, so take it away.
        QVERIFY(QFile::rename(m_folder.filePath(u"identity"_s), m_folder.filePath(u"away"_s)));
        QCOMPARE(finished(process).code, 255);
    }

    void client_sessionsAreLimited()
    {
        QVERIFY(start({u"--scenario"_s, u"plain"_s, u"--max-sessions"_s, u"0"_s}));
        const Answer answer = ssh(u"gpu1"_s, u"true"_s);
        QCOMPARE(answer.code, 255);
        QVERIFY2(answer.errors.contains("open failed"), answer.errors.constData());
    }

    void client_onATerminal()
    {
        QVERIFY(start({u"--scenario"_s, u"plain"_s}));
        QProcess process;
        process.start(u"ssh"_s, QStringList{u"-tt"_s} + sshArguments(u"gpu1"_s) + QStringList{u"test -t 0 && echo terminal"_s});
        QCOMPARE(finished(process).output.trimmed(), QByteArray("terminal"));
    }

    void client_forwardsIntoTheHost()
    {
        QVERIFY(start({u"--scenario"_s, u"plain"_s}));
        const QString server = u"sim-server --detach --load 0 -- vllm serve kimi --port 8000 >/dev/null 2>&1; "
                               "until grep -q ':1F40 ' /proc/net/tcp; do sleep 0.1; done"_s;
        QCOMPARE(ssh(u"gpu1"_s, server).code, 0);
        QProcess process;
        process.start(u"ssh"_s, QStringList{u"-W"_s, u"127.0.0.1:8000"_s} + sshArguments(u"gpu1"_s));
        process.write("GET /version HTTP/1.1\r\n\r\n");
        QVERIFY(process.waitForReadyRead(10'000));
        QVERIFY(process.readAllStandardOutput().startsWith("HTTP/1.1 200 OK"));
        process.closeWriteChannel();
        finished(process);
        QProcess refused;
        refused.start(u"ssh"_s, QStringList{u"-W"_s, u"127.0.0.1:9"_s} + sshArguments(u"gpu1"_s));
        QCOMPARE(finished(refused).code, 255);
    }

    void client_thatDiesLeavesNoShell()
    {
        QVERIFY(start({u"--scenario"_s, u"plain"_s}));
        QProcess process;
        process.start(u"ssh"_s, sshArguments(u"gpu1"_s) + QStringList{u"echo up; exec cat"_s});
        QVERIFY(process.waitForReadyRead(10'000));
        process.kill();
        QVERIFY(process.waitForFinished());
        QTRY_COMPARE(ssh(u"gpu1"_s, u"ps axo args --no-headers | grep -cx cat"_s).output, QByteArray("0\n"));
    }

    void client_thatReadsSlowlyStopsNobody()
    {
        QVERIFY(start({u"--scenario"_s, u"plain"_s}));
        QProcess slow;
        slow.setReadChannel(QProcess::StandardOutput);
        slow.start(u"sh"_s, {u"-c"_s, u"ssh -F \"$0\" -o ControlPath=none gpu1 'head -c 20000000 /dev/zero' | { sleep 2; wc -c; }"_s,
                             m_folder.filePath(u"ssh_config"_s)});
        QVERIFY(slow.waitForStarted());
        QCOMPARE(ssh(u"gpu1"_s, u"echo on"_s).output, QByteArray("on\n"));
        QCOMPARE(finished(slow).output.trimmed(), QByteArray("20000000"));
    }

    void namespaces_refusedWithASentence()
    {
        const QStringList command = {u"-Ur"_s, u"sh"_s, u"-c"_s,
                                     u"echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\""_s,
                                     QStringLiteral(SIMHOST_PATH), u"--dir"_s, m_folder.path(), u"--scenario"_s, u"plain"_s};
        QProcess process;
        process.start(u"unshare"_s, command);
        process.closeWriteChannel();
        const Answer refused = finished(process);
        QCOMPARE(refused.code, 8);
        QVERIFY2(refused.errors.contains("The simulated host gpu1 cannot be started here."), refused.errors.constData());
        QVERIFY(refused.output.isEmpty());
        process.start(u"unshare"_s, command + QStringList{u"--or-fast"_s});
        process.closeWriteChannel();
        const Answer instead = finished(process);
        QCOMPARE(instead.code, 0);
        QVERIFY(instead.errors.contains("answered from memory instead"));
        QVERIFY(instead.output.contains("\"mode\":\"memory\""));
    }

    void client_garbageDoesNotDisturbOthers()
    {
        QVERIFY(start({u"--scenario"_s, u"plain"_s}));
        QTcpSocket socket;
        const int port = m_ready.value(u"hosts"_s).toArray().at(0).toObject().value(u"port"_s).toInt();
        socket.connectToHost(u"127.0.0.1"_s, quint16(port));
        QVERIFY(socket.waitForConnected());
        socket.write(QByteArray(100'000, '\x81') + "\r\n");
        QCOMPARE(ssh(u"gpu1"_s, u"echo on"_s).output, QByteArray("on\n"));
    }

    void demo_isTheFoundingCase()
    {
        QVERIFY(start({u"--scenario"_s, u"demo"_s}));
        const QString query = u"nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | sort -u"_s;
        QTRY_COMPARE_WITH_TIMEOUT(ssh(u"gpu1"_s, query).output, QByteArray("96619\n"), 20'000);
        QCOMPARE(ssh(u"gpu2"_s, query).output, QByteArray("4\n"));
        QTRY_COMPARE(ssh(u"gpu3"_s, query).output, QByteArray("96619\n"));
        QTRY_COMPARE(ssh(u"gpu3"_s, u"systemctl show -P SubState vllm-kimi-k25"_s).output, QByteArray("start-pre\n"));
        QCOMPARE(ssh(u"gpu3"_s, u"ps axo args | grep -c '^VLLM::Worker_TP'"_s).output, QByteArray("8\n"));
        // Freed, the unit serves again by itself.
        const QString kill = u"for p in /proc/[0-9]*; do grep -qa '^VLLM::EngineCore' $p/cmdline && kill -9 ${p#/proc/}; done; true"_s;
        QCOMPARE(ssh(u"gpu3"_s, kill).code, 0);
        QTRY_COMPARE_WITH_TIMEOUT(ssh(u"gpu3"_s, u"systemctl show -P SubState vllm-kimi-k25"_s).output,
                                  QByteArray("running\n"), 15'000);
    }

    void faults_allBoot()
    {
        QVERIFY(start({u"--scenario"_s, u"faults"_s}));
        QCOMPARE(ssh(u"nosmi"_s, u"nvidia-smi"_s).code, 127);
        QCOMPARE(ssh(u"driverless"_s, u"nvidia-smi"_s).code, 9);
        QCOMPARE(ssh(u"seven"_s, u"nvidia-smi -L | wc -l; ls /sys/bus/pci/devices | wc -l"_s).output, QByteArray("7\n8\n"));
        QCOMPARE(ssh(u"hung"_s, u"timeout 1 nvidia-smi -L >/dev/null 2>&1 & sleep 2; grep -l nvidia-smi /proc/[0-9]*/comm | wc -l"_s).output,
                 QByteArray("1\n"));
    }

    void end_withStandardInput() { endsAll([this] { m_program->closeWriteChannel(); }); }
    void end_withTerm() { endsAll([this] { m_program->terminate(); }); }
    void end_withKill() { endsAll([this] { m_program->kill(); }); }

    void end_removesWhatItMade()
    {
        for (const bool fast : {false, true}) {
            QTemporaryDir parent;
            const QString folder = parent.filePath(u"new"_s);
            QProcess program;
            program.start(QStringLiteral(SIMHOST_PATH),
                          QStringList{u"--dir"_s, folder, u"--scenario"_s, u"plain"_s} + (fast ? QStringList{u"--fast"_s} : QStringList()));
            QVERIFY(program.waitForReadyRead(20'000));
            for (const char *name : {"ssh_config", "known_hosts", "hosts.toml", "identity"})
                QVERIFY2(QFile::exists(folder + u'/' + QString::fromLatin1(name)), name);
            program.closeWriteChannel();
            QVERIFY(program.waitForFinished(10'000));
            QVERIFY(!QFile::exists(folder));
        }
    }

    void start_doesNotTouchAPersonsFiles()
    {
        QTemporaryDir folder;
        QFile own(folder.filePath(u"hosts.toml"_s));
        QVERIFY(own.open(QIODevice::WriteOnly));
        own.write("[[host]]\nname = \"gpu1\"\n");
        own.close();
        QProcess program;
        program.start(QStringLiteral(SIMHOST_PATH), {u"--dir"_s, folder.path(), u"--fast"_s, u"--scenario"_s, u"plain"_s});
        const Answer answer = finished(program);
        QCOMPARE(answer.code, 8);
        QVERIFY2(answer.errors.contains("hosts.toml is there already"), answer.errors.constData());
        QVERIFY(own.open(QIODevice::ReadOnly));
        QVERIFY(own.readAll().startsWith("[[host]]"));
    }

    void bind_beyondLoopbackIsRefused_data()
    {
        QTest::addColumn<QString>("address");
        for (const char *address : {"0.0.0.0", "::", "192.0.2.1", "10.0.0.1", "localhost", "127.0.0.1.example"})
            QTest::newRow(address) << QString::fromLatin1(address);
    }
    void bind_beyondLoopbackIsRefused()
    {
        QFETCH(QString, address);
        QProcess process;
        process.start(QStringLiteral(SIMHOST_PATH),
                      {u"--dir"_s, m_folder.path(), u"--fast"_s, u"--hosts"_s, u"1"_s, u"--bind"_s, address});
        const Answer answer = finished(process);
        QCOMPARE(answer.code, 2);
        QVERIFY2(answer.errors.contains("loopback only"), answer.errors.constData());
        QVERIFY(answer.output.isEmpty());
    }

private:
    template <class Stop>
    void endsAll(Stop stop)
    {
        QVERIFY(start({u"--scenario"_s, u"demo"_s}));
        const QList<qint64> boots = childrenOf(m_program->processId());
        QCOMPARE(boots.size(), 3);
        QList<qint64> inits;
        for (const qint64 boot : boots)
            inits += childrenOf(boot);
        QCOMPARE(inits.size(), 3);
        QList<qint64> all = boots + inits;
        for (const qint64 init : inits)
            all += childrenOf(init);
        QVERIFY(all.size() > 12);
        QProcess session;
        session.start(u"ssh"_s, sshArguments(u"gpu2"_s) + QStringList{u"echo up; sleep 1000"_s});
        QVERIFY(session.waitForReadyRead(10'000));
        stop();
        QVERIFY(m_program->waitForFinished(10'000));
        QVERIFY(session.waitForFinished(10'000));
        for (const qint64 pid : all)
            QTRY_VERIFY2(!isAlive(pid), qPrintable(QString::number(pid)));
    }
};

PILOTHOUSE_TEST_MAIN(TstPilothousesimhost)
#include "tst_pilothousesimhost.moc"

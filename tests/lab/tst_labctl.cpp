// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// pilothousectl on real hosts: the exit codes of the outside contract, --watch, the steps of `test`, an inventory with
// services of both scopes, and a jump host that must not be passed by.
#include "tests/lab/labmain.h"
#include "tests/lab/shot.h"

#include <QFile>
#include <QJsonArray>
#include <QProcess>
#include <QTemporaryDir>

#include <csignal>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstLabCtl : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};
    QTemporaryDir m_folder;

    QString write(const QString &name, const QByteArray &text) const
    {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
            QTest::qFail("cannot write a file", __FILE__, __LINE__);
        return file.fileName();
    }

    // One line of `test`: the state of a step, empty when it is not there.
    static QString step(const Ran &ran, const QString &name)
    {
        const QJsonArray steps = ran.json().value(u"steps"_s).toArray();
        for (const QJsonValue &step : steps) {
            if (step.toObject().value(u"name"_s).toString() == name)
                return step.toObject().value(u"state"_s).toString();
        }
        return {};
    }

private slots:
    void initTestCase() { QTest::failOnWarning(QRegularExpression(u".*"_s)); }

    void test_goesStepByStep()
    {
        const Ran ran = ctl({u"test"_s, u"lab1"_s, u"--json"_s});
        QVERIFY2(ran.exitCode == 0, ran.summary().constData());
        for (const QString &name : {u"resolve"_s, u"connect"_s, u"host key"_s, u"sign in"_s, u"shell"_s, u"nvidia-smi"_s, u"systemctl"_s, u"rights"_s})
            QVERIFY2(step(ran, name) == u"done"_s, QByteArray(name.toUtf8() + '\n' + ran.summary()).constData());
    }

    void firstFailingStep_givesTheExitCode_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("failing");
        const QString stranger = labFolder() + u"/keys/stranger"_s;
        const QString nobody = m_folder.filePath(u"no-such-known-hosts"_s);
        QTest::newRow("nobody listens") << QStringList{u"root@10.77.1.2:9"_s} << 3 << u"connect"_s;
        QTest::newRow("no such address") << QStringList{u"root@10.77.1.77"_s, u"--timeout"_s, u"3"_s} << 3 << u"connect"_s;
        QTest::newRow("unknown key") << QStringList{u"lab1"_s, u"--known-hosts"_s, nobody} << 5 << u"host key"_s;
        QTest::newRow("stranger") << QStringList{u"nosudo@lab1"_s, u"--identity"_s, stranger} << 4 << u"sign in"_s;
        QTest::newRow("no shell") << QStringList{u"nologin@lab1"_s} << 6 << u"shell"_s;
        QTest::newRow("no nvidia-smi") << QStringList{u"boxed@lab1"_s} << 6 << u"nvidia-smi"_s;
    }

    void firstFailingStep_givesTheExitCode()
    {
        QFETCH(const QStringList, arguments);
        QFETCH(const int, code);
        QFETCH(const QString, failing);
        const Ran ran = ctl(QStringList{u"test"_s, u"--json"_s} + arguments);
        QVERIFY2(ran.exitCode == code, ran.summary().constData());
        QVERIFY2(step(ran, failing) == u"failed"_s, ran.summary().constData());
        const Ran shot = ctl(QStringList{u"snapshot"_s, u"--json"_s} + arguments);
        QVERIFY2(shot.exitCode == code, shot.summary().constData());
        QVERIFY2(!shot.errors.trimmed().isEmpty(), shot.summary().constData());
    }

    void jumpHost_thatFailsIsNotPassedBy()
    {
        const QString config = write(u"jump"_s, "Host behind\n    HostName " + m_host.address().toLatin1()
                                                    + "\n    ProxyJump nobody@10.77.1.99\nHost piped\n    HostName "
                                                    + m_host.address().toLatin1() + "\n    ProxyCommand false\nInclude "
                                                    + labFolder().toUtf8() + "/ssh_config\n");
        const qsizetype before = m_host.sh(u"journalctl --sync; journalctl -o cat SYSLOG_IDENTIFIER=sshd"_s).count("Connection from");
        for (const QString &target : {u"behind"_s, u"piped"_s}) {
            const Ran ran = ctl({u"snapshot"_s, target, u"--json"_s, u"--ssh-config"_s, config});
            QVERIFY2(ran.exitCode == 3, ran.summary().constData());
            QVERIFY2(ran.errors.contains("at the jump host nobody@10.77.1.99") || ran.errors.contains("the ProxyCommand ended"),
                     ran.summary().constData());
        }
        QCOMPARE(m_host.sh(u"journalctl --sync; journalctl -o cat SYSLOG_IDENTIFIER=sshd"_s).count("Connection from"), before);
    }

    void acceptNewHostKey_storesItOnce()
    {
        const QString file = m_folder.filePath(u"accepted"_s);
        const Ran first = ctl({u"snapshot"_s, u"lab1"_s, u"--known-hosts"_s, file, u"--accept-new-host-key"_s});
        QVERIFY2(first.exitCode == 0, first.summary().constData());
        const Ran second = ctl({u"snapshot"_s, u"lab1"_s, u"--known-hosts"_s, file});
        QVERIFY2(second.exitCode == 0, second.summary().constData());
    }

    void watch_printsOneDocumentALine()
    {
        const int before = m_host.signIns();
        const Ran ran = ctl({u"snapshot"_s, u"lab1"_s, u"--json"_s, u"--watch"_s, u"0.3"_s, u"--count"_s, u"4"_s});
        QVERIFY2(ran.exitCode == 0, ran.summary().constData());
        const QList<QByteArray> lines = ran.output.trimmed().split('\n');
        QCOMPARE(lines.size(), 4);
        for (const QByteArray &line : lines)
            QCOMPARE(Shot(line).gpus().size(), 8);
        QTRY_COMPARE(m_host.signIns(), before + 1);
    }

    void interruptedWatch_exits130AndLeavesNothing()
    {
        QProcess console;
        console.start(qEnvironmentVariable("PILOTHOUSE_LAB_CTL"),
                      {u"--config"_s, labFolder() + u"/home"_s, u"--ssh-config"_s, labFolder() + u"/ssh_config"_s, u"snapshot"_s,
                       m_host.name(), u"--json"_s, u"--watch"_s, u"0.3"_s});
        QTRY_VERIFY_WITH_TIMEOUT(console.bytesAvailable() > 0, 10'000);
        ::kill(pid_t(console.processId()), SIGINT);
        QVERIFY(console.waitForFinished(5'000));
        QCOMPARE(console.exitStatus(), QProcess::NormalExit);
        QCOMPARE(console.exitCode(), 130);
        QTRY_COMPARE_WITH_TIMEOUT(m_host.processes(u"pilothouse-probe"_s).size(), 0, 10'000);
    }

    void inventory_bringsItsUnitsOfBothScopes()
    {
        const Ran started = run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, u"-l"_s, u"ops"_s, m_host.name(),
                                           u"systemctl --user start vllm-user"_s});
        QVERIFY2(started.exitCode == 0, started.summary().constData());
        m_host.sh(u"systemctl start unit-oneshot"_s);
        QTRY_COMPARE(m_host.processes(u"^VLLM::EngineCore"_s).size(), 1);
        write(u"hosts.toml"_s, "[[host]]\nname = \"gpu1\"\nssh = \"ops@lab1\"\nexpected_gpus = 9\n"
                               "[[host.service]]\nname = \"a\"\nunit = \"vllm-user.service\"\nscope = \"user\"\n"
                               "[[host.service]]\nname = \"b\"\nunit = \"unit-oneshot.service\"\n");
        const Ran hosts = ctl({u"hosts"_s, u"--json"_s, u"--config"_s, m_folder.path()});
        QVERIFY2(hosts.exitCode == 0 && hosts.output.contains("gpu1"), hosts.summary().constData());
        const Shot shot = Shot::of(u"gpu1"_s, {u"--config"_s, m_folder.path()});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.json().value(u"host"_s).toString(), u"gpu1"_s);
        QCOMPARE(shot.unit(u"vllm-user.service"_s).value(u"active"_s).toString(), u"active"_s);
        QCOMPARE(shot.unit(u"unit-oneshot.service"_s).value(u"active"_s).toString(), u"active"_s);
        QCOMPARE(shot.processes(u"^VLLM::EngineCore"_s).value(0).value(u"owner"_s).toObject().value(u"kind"_s).toString(), u"user_unit"_s);
        // Nine expected, eight there.
        QVERIFY2(shot.problemCodes().contains(u"gpu.missing"_s), shot.story().constData());
    }

    void brokenInventory_isALocalFailure()
    {
        QTemporaryDir folder;
        QFile file(folder.filePath(u"hosts.toml"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[[host]\n");
        file.close();
        const Ran ran = ctl({u"hosts"_s, u"--config"_s, folder.path()});
        QVERIFY2(ran.exitCode == 8, ran.summary().constData());
        QVERIFY2(ran.errors.contains("hosts.toml"), ran.summary().constData());
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabCtl)
#include "tst_labctl.moc"

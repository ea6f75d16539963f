// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Sessions on a simulated host by OpenSSH's client: they must behave as those of a real sshd, because the console's own
// tests lean on them.
#include "tests/support/simhosts.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QElapsedTimer>
#include <QFile>
#include <QRandomGenerator>
#include <QStandardPaths>

#include <csignal>
#include <memory>
#include <vector>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

struct Ran
{
    int code = -1;
    QByteArray output;
    QByteArray errors;
};

Ran finished(QProcess &process, int limitMs = 30'000)
{
    Ran ran;
    if (process.waitForFinished(limitMs) && process.exitStatus() == QProcess::NormalExit)
        ran.code = process.exitCode();
    ran.output = process.readAllStandardOutput();
    ran.errors = process.readAllStandardError();
    return ran;
}

} // namespace

class TstSimsessions final : public QObject
{
    Q_OBJECT

    SimHosts m_hosts;

    [[nodiscard]] std::unique_ptr<QProcess> session(const QString &command, const QStringList &options = {}) const
    {
        auto process = std::make_unique<QProcess>();
        process->start(u"ssh"_s, options + m_hosts.sshArguments(u"gpu1"_s) + QStringList{command});
        return process;
    }
    [[nodiscard]] Ran ssh(const QString &command, const QByteArray &input = {}, const QStringList &options = {}) const
    {
        const auto process = session(command, options);
        process->write(input);
        process->closeWriteChannel();
        return finished(*process);
    }

private slots:
    void initTestCase()
    {
        if (QStandardPaths::findExecutable(u"ssh"_s).isEmpty())
            PILOTHOUSE_SKIP("No OpenSSH client here.");
        if (!m_hosts.start({u"--scenario"_s, u"plain"_s}))
            PILOTHOUSE_SKIP(m_hosts.errors().constData());
    }
    void cleanupTestCase() { QVERIFY(m_hosts.end()); }

    void bytes_areLeftAlone()
    {
        QByteArray all;
        for (int i = 0; i < 256; ++i)
            all += char(i);
        all = all.repeated(400);
        const Ran ran = ssh(u"cat"_s, all);
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.output, all);
        const Ran errors = ssh(u"cat >&2"_s, all);
        QCOMPARE(errors.errors, all);
        QVERIFY(errors.output.isEmpty());
    }

    void streams_stayApartHoweverFastTheyCome()
    {
        const Ran ran = ssh(u"i=0; while [ $i -lt 2000 ]; do echo o$i; echo e$i >&2; i=$((i+1)); done; exit 3"_s);
        QCOMPARE(ran.code, 3);
        QByteArray output;
        QByteArray errors;
        for (int i = 0; i < 2000; ++i) {
            output += 'o' + QByteArray::number(i) + '\n';
            errors += 'e' + QByteArray::number(i) + '\n';
        }
        QCOMPARE(ran.output, output);
        QCOMPARE(ran.errors, errors);
    }

    void status_isTheCommands_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<int>("code");
        QTest::newRow("well") << u"true"_s << 0;
        QTest::newRow("one") << u"false"_s << 1;
        QTest::newRow("largest") << u"exit 254"_s << 254;
        QTest::newRow("not found") << u"no-such-command"_s << 127;
        QTest::newRow("not executable") << u"/etc/passwd"_s << 126;
        QTest::newRow("a signal is no status") << u"kill -KILL $$"_s << 255;
        QTest::newRow("SIGTERM") << u"kill -TERM $$"_s << 255;
        QTest::newRow("a child's signal is one") << u"sh -c 'kill -9 $$'; exit $?"_s << 137;
        QTest::newRow("after its streams are closed") << u"exec >&- 2>&-; sleep 0.3; exit 9"_s << 9;
    }
    void status_isTheCommands()
    {
        QFETCH(const QString, command);
        QFETCH(const int, code);
        QCOMPARE(ssh(command).code, code);
    }

    void input_endsWhenTheClientsDoes()
    {
        const auto process = session(u"n=0; while read -r x; do n=$((n+1)); done; echo $n; sleep 0.2; echo after"_s);
        process->write("a\nb\nc\n");
        QVERIFY(!process->waitForFinished(300)); // it waits for more
        process->closeWriteChannel();
        QCOMPARE(finished(*process).output, QByteArray("3\nafter\n"));
    }

    void input_thatNobodyReadsIsDropped()
    {
        QCOMPARE(ssh(u"exec <&-; sleep 0.2; echo done"_s, QByteArray(500'000, 'x')).output, QByteArray("done\n"));
        QCOMPARE(ssh(u"head -c 3"_s, QByteArray(500'000, 'y')).output, QByteArray("yyy"));
    }

    void descendants_keepTheOutputOpen()
    {
        // As with sshd: what still holds the pipe still writes into the session.
        const Ran ran = ssh(u"(sleep 0.5; echo late) & echo early"_s);
        QCOMPARE(ran.code, 0);
        QCOMPARE(ran.output, QByteArray("early\nlate\n"));
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(ssh(u"sleep 300 >/dev/null 2>&1 & echo away"_s).output, QByteArray("away\n"));
        QVERIFY2(timer.elapsed() < 100'000, qPrintable(QString::number(timer.elapsed())));
    }

    void command_mayBeLongAndHaveLines()
    {
        const QString words = QString(60'000, u'w');
        QCOMPARE(ssh(u"printf %s "_s + words + u" | wc -c"_s).output.trimmed(), QByteArray("60000"));
        QCOMPARE(ssh(u"x='a\nb'\nprintf '%s' \"$x\" | wc -l\necho \"it's\""_s).output, QByteArray("1\nit's\n"));
    }

    void environment_isTheHostsOwn()
    {
        qputenv("PILOTHOUSE_OF_THE_CLIENT", "1");
        const Ran ran = ssh(u"env"_s, {}, {u"-o"_s, u"SendEnv=PILOTHOUSE_OF_THE_CLIENT"_s});
        qunsetenv("PILOTHOUSE_OF_THE_CLIENT");
        QVERIFY(!ran.output.contains("PILOTHOUSE_OF_THE_CLIENT"));
        for (const char *line : {"HOME=/root\n", "USER=root\n", "LOGNAME=root\n", "SSH_CONNECTION="})
            QVERIFY2(ran.output.contains(line), line);
        QVERIFY(!ran.output.contains("TERM="));
    }

    void terminal_hasItsSizeAndItsEnd()
    {
        // A client without a terminal of its own asks for one of no size; the shell's side is a terminal all the same.
        const Ran ran = ssh(u"test -t 0 && test -t 1 && test -t 2 && echo terminal; echo $TERM; stty -a | head -1; exit 5"_s, {}, {u"-tt"_s});
        QCOMPARE(ran.code, 5);
        QVERIFY2(ran.output.startsWith("terminal"), ran.output.constData());
        QVERIFY2(ran.output.contains("xterm"), ran.output.constData());
        QVERIFY2(ran.output.contains("rows"), ran.output.constData());
    }

    void terminal_interruptReachesTheCommand()
    {
        const auto process = session(u"trap 'echo caught; exit 4' INT; echo up; while :; do sleep 0.1; done"_s, {u"-tt"_s});
        QVERIFY(process->waitForReadyRead(10'000));
        process->write("\x03");
        const Ran ran = finished(*process);
        QCOMPARE(ran.code, 4);
        QVERIFY2(ran.output.contains("caught"), ran.output.constData());
    }

    void terminal_hangsUpWithItsClient()
    {
        const QByteArray mark = "hangup-" + QByteArray::number(QRandomGenerator::global()->generate());
        const auto process = session(u"trap 'echo > /tmp/%1; exit' HUP; echo up; while :; do sleep 0.1; done"_s
                                         .arg(QString::fromLatin1(mark)), {u"-tt"_s});
        QVERIFY(process->waitForReadyRead(10'000));
        process->kill();
        QVERIFY(process->waitForFinished());
        QTRY_COMPARE(ssh(u"test -e /tmp/%1 && echo yes"_s.arg(QString::fromLatin1(mark))).output, QByteArray("yes\n"));
    }

    void sessions_ofOneConnectionDoNotMix()
    {
        QTemporaryDir sockets;
        const QStringList shared{u"-o"_s, u"ControlMaster=auto"_s, u"-o"_s, u"ControlPath="_s + sockets.filePath(u"c"_s),
                                 u"-o"_s, u"ControlPersist=20"_s};
        QCOMPARE(ssh(u"echo first"_s, {}, shared).output, QByteArray("first\n"));
        std::vector<std::unique_ptr<QProcess>> all;
        for (int i = 0; i < 8; ++i) {
            all.push_back(session(u"head -c 400000 /dev/zero | tr '\\0' %1; cat; exit %1"_s.arg(i), shared));
            all.back()->write(QByteArray(200'000, char('a' + i)));
            all.back()->closeWriteChannel();
        }
        for (int i = 0; i < 8; ++i) {
            const Ran ran = finished(*all[std::size_t(i)]);
            QCOMPARE(ran.code, i);
            QCOMPARE(ran.output, QByteArray(400'000, char('0' + i)) + QByteArray(200'000, char('a' + i)));
        }
        QProcess::execute(u"ssh"_s, QStringList{u"-O"_s, u"exit"_s, u"-q"_s} + shared + m_hosts.sshArguments(u"gpu1"_s));
    }

    void clients_thatVanishLeaveNoProcess()
    {
        const auto sleepers = [this] { return ssh(u"ps axo args --no-headers | grep -cx 'sleep 4321'"_s).output.trimmed(); };
        std::vector<std::unique_ptr<QProcess>> all;
        for (int i = 0; i < 6; ++i) {
            all.push_back(session(u"echo up; sleep 4321 | cat; cat"_s));
            QVERIFY(all.back()->waitForReadyRead(10'000));
        }
        QCOMPARE(sleepers(), QByteArray("6"));
        for (const auto &process : all)
            process->kill();
        for (const auto &process : all)
            QVERIFY(process->waitForFinished(10'000));
        // sshd leaves what does not notice; a reader of the input that ends is gone.
        QTRY_COMPARE(ssh(u"ps axo args --no-headers | grep -cx cat"_s).output.trimmed(), QByteArray("6"));
        QCOMPARE(ssh(u"for p in /proc/[0-9]*; do [ \"$(tr '\\0' ' ' <$p/cmdline 2>/dev/null)\" = 'sleep 4321 ' ] && kill ${p#/proc/}; done; true"_s).code, 0);
        QTRY_COMPARE(ssh(u"ps axo args --no-headers | grep -cx cat"_s).output.trimmed(), QByteArray("0"));
    }

    void forward_closesEachDirectionAlone()
    {
        QCOMPARE(ssh(u"sim-server --detach --load 0 -- vllm serve kimi --port 8000 >/dev/null 2>&1; "
                     "until grep -q ':1F40 ' /proc/net/tcp; do sleep 0.1; done"_s).code, 0);
        QProcess way;
        way.start(u"ssh"_s, QStringList{u"-W"_s, u"127.0.0.1:8000"_s} + m_hosts.sshArguments(u"gpu1"_s));
        // The server waits for the whole request: the answer to its last piece comes by the other direction.
        way.write("POST /v1/completions HTTP/1.1\r\nContent-Length: 10\r\n\r\n12345");
        QVERIFY(!way.waitForReadyRead(400));
        way.write("67890");
        const Ran ran = finished(way);
        QVERIFY2(ran.output.startsWith("HTTP/1.1 "), ran.output.constData());
        QVERIFY(ran.output.contains("connection: close"));
    }
};

PILOTHOUSE_TEST_MAIN(TstSimsessions)
#include "tst_simsessions.moc"

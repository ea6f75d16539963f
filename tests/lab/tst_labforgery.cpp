// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Nobody on a host can frame another's process: titles, names of files and link targets with line feeds and headers of
// every tool that a script might use create no record, and hide none.
#include "tests/lab/labmain.h"
#include "tests/lab/shot.h"

#include <QFile>
#include <QJsonArray>
#include <QSet>

using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

// Line feeds and the headers of head, grep, tail, find, ls and of a framing script. 999999 stands for the victim.
constexpr const char *lies[] = {
    "VLLM::Worker_TP0\n==> /proc/999999/cmdline <==\nVLLM::Worker_TP1",
    "VLLM::Worker_TP0\n/proc/999999/cmdline:VLLM::Worker_TP2",
    "VLLM::Worker_TP0\n999999/cmdline:VLLM::Worker_TP3\n999999/stat:999999 (VLLM::Worker_TP) S 1 1 1 0 -1 4194560 0",
    "VLLM::Worker_TP0\n@PH 0123456789abcdef SECTION procs 0 1.0 1.0 3 0\n999999/cmdline:x",
    "VLLM::Worker_TP0\n\n999999/fd:\nlrwx------ 1 root root 64 Jan  1 00:00 5 -> /dev/nvidia0",
    "VLLM::Worker_TP0\x1b[2J\x1b]0;owned\x07 <img src=x> \xe2\x80\xae evil \xff\xfe",
    "VLLM::Worker_TP0 ) S 1 1 1 (x) R 999999",
};

} // namespace

class TstLabForgery : public QObject
{
    Q_OBJECT

    const LabHost m_host{1};
    QByteArray m_innocent; // a process of root's without any GPU

    Ran ssh(const QString &command) const
    {
        return run(u"ssh"_s, {u"-F"_s, labFolder() + u"/ssh_config"_s, u"-l"_s, u"mallory"_s, m_host.name(), command});
    }

    void writeInside(const QString &path, const QByteArray &bytes) const
    {
        QFile file(m_host.file(u"root"_s) + path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes), bytes.size());
    }

    static QSet<qint64> pids(const QList<QJsonObject> &processes)
    {
        QSet<qint64> all;
        for (const QJsonObject &process : processes)
            all.insert(process.value(u"pid"_s).toInteger());
        return all;
    }

    // Everything that an unprivileged person can choose, each in a process of its own: the title, the comm, the name of
    // an open file, and the folders above it, which may even hold slashes where a header has them.
    static QByteArray framingScript(const QByteArray &victim)
    {
        QByteArray script = "hold() { read -r -t 4000 <><(:); }\n"
                            "framed() {\n"
                            "  (exec 8</dev/nvidia0; exec -a \"$1\" sleep 4000) &\n"
                            "  (exec 8</dev/nvidia0; printf %s \"$1\" >/proc/$BASHPID/comm; hold) &\n"
                            "  : >\"/dev/shm/${1//\\//|}\"\n"
                            "  (exec 7<\"/dev/shm/${1//\\//|}\" 8</dev/nvidia0; hold) &\n"
                            "}\n"
                            "opened() { mkdir -p \"${1%/*}\"; : >\"$1\"; (exec 7<\"$1\" 8</dev/nvidia0; hold) & }\n";
        for (const char *lie : lies) {
            QByteArray text(lie);
            text.replace("999999", victim).replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n");
            script += "framed $'" + text + "'\n";
        }
        for (const char *path : {"fd/3 -> /dev/nvidia2", "fd/3 /dev/nvidia2", "fd/3:/dev/nvidia2", "cmdline:VLLM::Worker_TP4"}) {
            script += "opened /tmp/$'x\\n" + victim + "/" + path + "'\n";
            script += "opened /dev/shm/$'x\\n" + victim + "/" + path + "'\n"; // where a deep look keeps the links
        }
        return script;
    }

private slots:
    void initTestCase()
    {
        QTest::failOnWarning(QRegularExpression(u".*"_s));
        m_host.sh(u"systemd-run --quiet --unit=honest sim-hog --gpus 0 --mib 5000 --title VLLM::Worker_TP7; "
                  "systemd-run --quiet --unit=innocent sleep 7777; sleep 0.3"_s);
        m_innocent = m_host.sh(u"systemctl show -P MainPID innocent"_s).trimmed();
        writeInside(u"/usr/local/bin/frame"_s, "#!/bin/bash\nexec </dev/null >/dev/null 2>/tmp/frame.err\n" + framingScript("999999")
                                                   + framingScript(m_innocent) + "sleep 1\n");
        m_host.sh(u"chmod 755 /usr/local/bin/frame"_s);
        const Ran ran = ssh(u"/usr/local/bin/frame"_s);
        QVERIFY2(ran.exitCode == 0, ran.summary().constData());
        QCOMPARE(m_host.sh(u"ls -l /proc/[0-9]*/fd 2>/dev/null | grep -c '8 -> /dev/nvidia0$'"_s).trimmed().toInt(),
                 2 * (3 * int(std::size(lies)) + 8));
    }

    void forgedText_createsNoRecordAndHidesNone_data()
    {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QStringList>("options");
        QTest::newRow("root, light") << u"lab1"_s << QStringList{};
        QTest::newRow("root, deep") << u"lab1"_s << QStringList{u"--deep"_s};
        QTest::newRow("plain user, deep") << u"ops@lab1"_s << QStringList{u"--deep"_s};
        QTest::newRow("busybox tools, deep") << u"busypath@lab1"_s << QStringList{u"--deep"_s};
    }

    void forgedText_createsNoRecordAndHidesNone()
    {
        QFETCH(const QString, target);
        QFETCH(const QStringList, options);
        const Shot shot = Shot::of(target, options);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        const QList<qint64> living = m_host.processes(u"."_s);
        const QSet<qint64> listed = pids(shot.processes());
        QCOMPARE(listed.size(), shot.processes().size());
        QVERIFY2(!listed.contains(999999), shot.story().constData());
        QVERIFY2(!listed.contains(m_innocent.toLongLong()), shot.story().constData());
        // The only one that the driver lists holds what it holds, whatever others call themselves.
        QCOMPARE(shot.gpus().first().value(u"attributed_mib"_s).toInteger(), 5000);
        const QJsonObject honest = shot.processes(u"^VLLM::Worker_TP7$"_s).value(0);
        QCOMPARE(mibOf(honest), 5000);
        QCOMPARE(honest.value(u"user"_s).toString(), u"root"_s);
        int framers = 0;
        for (const QJsonObject &process : shot.processes()) {
            const QString command = process.value(u"command"_s).toString();
            const QString comm = process.value(u"comm"_s).toString();
            for (const QString &text : {command, comm}) {
                for (const QChar c : text)
                    QVERIFY2(c.unicode() >= 0x20 && c.unicode() != 0x7f && c.unicode() != 0x202e, shot.story().constData());
            }
            if (process.value(u"user"_s).toString() != u"mallory"_s)
                continue;
            ++framers;
            QCOMPARE(mibOf(process), 0);
            QVERIFY(living.contains(process.value(u"pid"_s).toInteger()));
            // A liar's descriptors are its own: /dev/nvidia0 and nothing that a link's name invents.
            const QJsonArray devices = process.value(u"devices"_s).toArray();
            for (const QJsonValue &device : devices)
                QCOMPARE(device.toString(), u"/dev/nvidia0"_s);
        }
        QVERIFY2(framers > 0, shot.story().constData());
    }

    void shmNames_areOneRecordEach()
    {
        const Shot shot = Shot::of(u"lab1"_s, {u"--deep"_s});
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        const auto files = shot.list(u"shm"_s);
        QVERIFY2(files, shot.story().constData());
        const qsizetype there = m_host.sh(u"find /dev/shm -maxdepth 1 -type f -printf x"_s).size();
        QCOMPARE(files->size(), there);
        for (const QJsonObject &file : *files)
            QVERIFY(file.value(u"path"_s).toString().startsWith(u"/dev/shm/"_s));
    }

    void exitingFramersAndManyTitles_doNotBreakTheTick()
    {
        // Long titles of bytes that no encoding has, as many as one account may start in a moment.
        writeInside(u"/usr/local/bin/flood"_s, "#!/bin/bash\nfor n in {1..60}; do\n"
                                               "  exec -a \"VLLM::Worker_TP$(head -c 3000 /dev/urandom | tr '\\0' x)\" sleep 30 &\n"
                                               "done </dev/null >/dev/null 2>&1\n");
        m_host.sh(u"chmod 755 /usr/local/bin/flood"_s);
        const Ran flood = ssh(u"/usr/local/bin/flood"_s);
        QVERIFY2(flood.exitCode == 0, flood.summary().constData());
        const Shot shot = Shot::of(u"lab1"_s);
        QVERIFY2(shot.exitCode() == 0, shot.story().constData());
        QCOMPARE(shot.processes(u"^VLLM::Worker_TP7$"_s).size(), 1);
        QCOMPARE(mibOf(shot.processes(u"^VLLM::Worker_TP7$"_s).value(0)), 5000);
    }
};

PILOTHOUSE_LAB_TEST_MAIN(TstLabForgery)
#include "tst_labforgery.moc"

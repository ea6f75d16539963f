// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// System facts, units and what only a deep snapshot holds.
#include "core/probe/assemble.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using Severity = Problem::Severity;

namespace {

HostAnswer deepHost()
{
    HostAnswer answer = wellHost();
    answer.depth = Depth::Deep;
    answer.tcp = sectionOf(fixture(u"proc/net-tcp.txt"_s));
    answer.socketOwners = {{41'001, 4242}};
    answer.socketOwnersComplete = true;
    answer.shm = QList<RawShmFile>();
    answer.kernelLog = sectionOf({});
    return answer;
}

ProbeSettings asking(const QStringList &units, const QStringList &userUnits = {})
{
    ProbeSettings settings;
    settings.units = units;
    settings.userUnits = userUnits;
    return settings;
}

} // namespace

class TstAssembleHost final : public QObject
{
    Q_OBJECT
private slots:
    void system_figures();
    void system_incompleteIsFailedAndNamed();
    void system_notAskedIsAbsent();
    void view_isNamed();
    void units_read();
    void units_noneAskedIsEmpty();
    void units_noSystemd();
    void units_nobodyToAsk_data();
    void units_nobodyToAsk();
    void units_noBus();
    void units_userBusMissing();
    void units_truncated();
    void units_unanswered();
    void units_exitOneWithBlocks();
    void units_namesThatCannotBeAsked();
    void sudo_refusalIsNamed();
    void light_hasNoDeepLists();
    void deep_listening();
    void deep_listeningOwnersUnknown();
    void deep_incompleteIsNullAndNamed();
    void deep_kernelLogMayNotBeRead();
    void deep_kernelLogTroubleIsOneSentence_data();
    void deep_kernelLogTroubleIsOneSentence();
    void deep_shm();
    void deep_kernelLog_data();
    void deep_kernelLog();
    void deep_kernelLogIsGrouped();
    void deep_asOrdinaryUser();
};

void TstAssembleHost::system_figures()
{
    const SystemFacts system = assembled(wellHost()).system;
    QCOMPARE(system.memoryTotalKib, Quantity<qint64>(527'824'436));
    QCOMPARE(system.memoryAvailableKib, Quantity<qint64>(501'824'436));
    QCOMPARE(system.load1, Quantity<double>(0.52));
    QCOMPARE(system.oomKills, Quantity<qint64>(0));
    QCOMPARE(system.pciGpus, Quantity<int>(2));
    QVERIFY(system.root);
}

void TstAssembleHost::system_incompleteIsFailedAndNamed()
{
    HostAnswer answer = wellHost();
    answer.meminfo = answer.loadavg = answer.vmstat = answer.pci = brokenSection(u"cut off"_s);
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(codesOf(snapshot),
             (QStringList{u"section.memory"_s, u"section.load"_s, u"section.oom"_s, u"section.pci"_s}));
    for (const Problem &problem : snapshot.problems)
        QVERIFY(problem.text.contains(u"cut off."_s));
    QCOMPARE(snapshot.system.memoryTotalKib.reason(), UnknownReason::Failed);
    QCOMPARE(snapshot.system.load1.reason(), UnknownReason::Failed);
    QCOMPARE(snapshot.system.oomKills.reason(), UnknownReason::Failed);
    QCOMPARE(snapshot.system.pciGpus.reason(), UnknownReason::Failed);
    QVERIFY(!snapshot.system.pciGpus.isKnown());
}

void TstAssembleHost::system_notAskedIsAbsent()
{
    HostAnswer answer = wellHost();
    answer.meminfo = answer.pci = {};
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.system.memoryTotalKib.reason(), UnknownReason::Absent);
    QCOMPARE(codesOf(snapshot), QStringList());
}

void TstAssembleHost::view_isNamed()
{
    HostAnswer answer = wellHost();
    answer.container = answer.hidepid = true;
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(problemCalled(snapshot, u"host.container"_s)->severity, Severity::Notice);
    QVERIFY(problemCalled(snapshot, u"host.hidepid"_s));
    QVERIFY(snapshot.system.container && snapshot.system.hidepid);
}

void TstAssembleHost::units_read()
{
    HostAnswer answer = wellHost();
    answer.units = sectionOf("Id=vllm.service\nLoadState=loaded\nActiveState=active\nSubState=running\nMainPID=4242\n"
                             "ActiveEnterTimestamp=Tue 2026-12-01 11:00:00 "
                             "UTC\n\nId=nope.service\nLoadState=not-found\nActiveState=inactive\n");
    answer.userUnits = sectionOf("Id=lab.service\nLoadState=loaded\nActiveState=active\n");
    const Snapshot snapshot = assembled(answer, asking({u"vllm.service"_s, u"nope.service"_s}, {u"lab.service"_s}));
    QCOMPARE(snapshot.units->size(), 3);
    QCOMPARE(snapshot.units->at(0).mainPid, Quantity<qint64>(4242));
    QCOMPARE(snapshot.units->at(0).hostSince, noon(-3600));
    QCOMPARE(snapshot.units->at(1).load, u"not-found"_s);
    QVERIFY(snapshot.units->at(2).user);
    QCOMPARE(codesOf(snapshot), QStringList());
}

void TstAssembleHost::units_noneAskedIsEmpty()
{
    const Snapshot snapshot = assembled(wellHost());
    QVERIFY(snapshot.units);
    QVERIFY(snapshot.units->isEmpty());
}

void TstAssembleHost::units_noSystemd()
{
    HostAnswer answer = wellHost();
    answer.units = sectionOf({}, 1,
                             "System has not been booted with systemd as init system (PID 1). Can't operate.\nFailed "
                             "to connect to bus: Host is down\n");
    const Snapshot snapshot = assembled(answer, asking({u"vllm.service"_s}));
    QVERIFY(!snapshot.units); // not an empty list: nobody could say
    QCOMPARE(snapshot.unknown.value(u"units"_s), UnknownReason::Absent);
    QCOMPARE(codesOf(snapshot), QStringList{u"systemd.absent"_s});
    QVERIFY(snapshot.gpus);
}

void TstAssembleHost::units_nobodyToAsk_data()
{
    QTest::addColumn<bool>("systemd");
    QTest::addColumn<bool>("systemctl");
    QTest::addColumn<QByteArray>("words");
    QTest::addColumn<QString>("text");
    QTest::addColumn<UnknownReason>("reason");
    QTest::newRow("no systemd") << false << false << QByteArray("sh: 1: systemctl: not found\n")
                                << u"This host does not run systemd."_s << UnknownReason::Absent;
    QTest::newRow("no systemd, odd words") << false << true << QByteArray("sh: <stdin>[12]: no such tool\n")
                                           << u"This host does not run systemd."_s << UnknownReason::Absent;
    QTest::newRow("no systemctl") << true << false << QByteArray("sh: 1: systemctl: not found\n")
                                  << u"This account finds no systemctl (sh: 1: systemctl: not found)."_s
                                  << UnknownReason::Absent;
    QTest::newRow("systemctl is closed") << true << false << QByteArray("sh: 1: systemctl: Permission denied\n")
                                         << u"This account finds no systemctl (sh: 1: systemctl: Permission denied)."_s
                                         << UnknownReason::NoPermission;
}

void TstAssembleHost::units_nobodyToAsk()
{
    QFETCH(bool, systemd);
    QFETCH(bool, systemctl);
    QFETCH(QByteArray, words);
    HostAnswer answer = wellHost();
    answer.systemd = systemd;
    answer.systemctl = systemctl;
    const Snapshot unasked = assembled(answer);
    QVERIFY(!unasked.units); // not "none": nobody could say so
    QCOMPARE(unasked.unknown.value(u"units"_s), UnknownReason::Absent);
    QCOMPARE(codesOf(unasked), QStringList()); // nobody wanted to know
    answer.units = answer.userUnits = sectionOf({}, 127, words);
    const Snapshot asked = assembled(answer, asking({u"vllm.service"_s}, {u"lab.service"_s}));
    QVERIFY(!asked.units);
    QTEST(asked.unknown.value(u"units"_s), "reason");
    QCOMPARE(codesOf(asked), QStringList{u"systemd.absent"_s}); // once
    QTEST(asked.problems.first().text, "text");
}

void TstAssembleHost::units_noBus()
{
    HostAnswer answer = wellHost();
    answer.units = sectionOf(
        {}, 1,
        "Failed to connect to system scope bus via local transport: Operation not permitted (consider using …)\n");
    const Snapshot snapshot = assembled(answer, asking({u"vllm.service"_s}));
    QVERIFY(!snapshot.units);
    QCOMPARE(snapshot.unknown.value(u"units"_s), UnknownReason::Failed);
    QCOMPARE(codesOf(snapshot), QStringList{u"systemd.unreachable"_s});
}

void TstAssembleHost::units_userBusMissing() // 147
{
    HostAnswer answer = wellHost();
    answer.units = sectionOf("Id=vllm.service\nActiveState=active\n");
    answer.userUnits = sectionOf({}, 1, "Failed to connect to bus: No medium found\n");
    const Snapshot both = assembled(answer, asking({u"vllm.service"_s}, {u"lab.service"_s}));
    QCOMPARE(both.units->size(), 1);
    QVERIFY(problemCalled(both, u"systemd.user_unreachable"_s)->advice.contains(u"linger"_s));
    answer.units = {};
    const Snapshot userOnly = assembled(answer, asking({}, {u"lab.service"_s}));
    QVERIFY(!userOnly.units);
    QVERIFY(userOnly.unknown.contains(u"units"_s));
}

void TstAssembleHost::units_truncated()
{
    HostAnswer answer = wellHost();
    answer.units = brokenSection(u"the answer ended early"_s);
    const Snapshot snapshot = assembled(answer, asking({u"vllm.service"_s}));
    QVERIFY(!snapshot.units);
    QVERIFY(problemCalled(snapshot, u"section.units"_s)->text.contains(u"ended early"_s));
}

void TstAssembleHost::units_unanswered()
{
    HostAnswer answer = wellHost();
    answer.units = sectionOf("Id=vllm.service\nActiveState=active\n");
    const Snapshot snapshot = assembled(answer, asking({u"vllm.service"_s, u"other.service"_s}));
    QCOMPARE(snapshot.units->size(), 1);
    QVERIFY(problemCalled(snapshot, u"unit.unanswered"_s)->text.contains(u"other.service"_s));
}

void TstAssembleHost::units_exitOneWithBlocks()
{
    HostAnswer answer = wellHost();
    answer.units = sectionOf("Id=vllm.service\nActiveState=active\n", 1,
        "Failed to get properties: Unit name vllm@.service is neither a valid invocation ID nor unit name.\n");
    const Snapshot snapshot = assembled(answer, asking({u"vllm.service"_s, u"vllm@.service"_s}));
    QCOMPARE(snapshot.units->size(), 1);
    QVERIFY(problemCalled(snapshot, u"unit.unanswered"_s)->text.contains(u"neither a valid"_s));
}

void TstAssembleHost::units_namesThatCannotBeAsked()
{
    const Snapshot snapshot = assembled(wellHost(), asking({u"a b\n.service"_s}));
    QCOMPARE(codesOf(snapshot), QStringList{u"unit.unanswered"_s});
    QVERIFY(!snapshot.problems.first().text.contains(u'\n'));
}

void TstAssembleHost::sudo_refusalIsNamed()
{
    HostAnswer answer = wellHost();
    answer.sudoTrouble = u"sudo wants a password (it said: sudo: a password is required)."_s;
    answer.sudoProblem = u"host.sudo_password"_s;
    const QString text = problemCalled(assembled(answer), u"host.sudo_password"_s)->text;
    QVERIFY2(text.contains(u"a password is required"_s) && text.endsWith(u"by itself."_s), qPrintable(text));
}

void TstAssembleHost::light_hasNoDeepLists()
{
    const Snapshot snapshot = assembled(wellHost());
    QVERIFY(!snapshot.listening);
    QVERIFY(!snapshot.shm);
    QVERIFY(snapshot.unknown.isEmpty()); // not looked for: the host was not said to lack them
    QCOMPARE(codesOf(snapshot), QStringList());
}

void TstAssembleHost::deep_listening()
{
    const Snapshot snapshot = assembled(deepHost());
    QCOMPARE(snapshot.listening->size(), 3);
    QCOMPARE(snapshot.listening->at(0).port, quint16(22));
    QCOMPARE(snapshot.listening->at(2).port, quint16(8000));
    QCOMPARE(snapshot.listening->at(2).address, u"127.0.0.1"_s);
    QCOMPARE(snapshot.listening->at(2).pid, Quantity<qint64>(4242));
    QCOMPARE(snapshot.listening->at(0).pid.reason(), UnknownReason::Absent); // every process was looked at
    QVERIFY(!snapshot.unknown.contains(u"listening"_s));
}

void TstAssembleHost::deep_listeningOwnersUnknown()
{
    HostAnswer answer = deepHost();
    answer.socketOwnersComplete = false;
    QCOMPARE(assembled(answer).listening->at(0).pid.reason(), UnknownReason::NoPermission);
    answer.descriptorsFailed = true;
    QCOMPARE(assembled(answer).listening->at(0).pid.reason(), UnknownReason::Failed);
}

void TstAssembleHost::deep_incompleteIsNullAndNamed()
{
    HostAnswer answer = deepHost();
    answer.tcp = brokenSection(u"x"_s);
    answer.shm.reset();
    answer.kernelLog = brokenSection(u"dmesg: read kernel buffer failed: Operation not permitted"_s);
    const Snapshot snapshot = assembled(answer);
    QVERIFY(!snapshot.listening);
    QVERIFY(!snapshot.shm);
    QCOMPARE(snapshot.unknown.value(u"shm"_s), UnknownReason::Failed);
    QCOMPARE(codesOf(snapshot), (QStringList{u"section.listening"_s, u"section.shm"_s, u"section.kernel_log"_s}));
}

void TstAssembleHost::deep_kernelLogMayNotBeRead()
{
    HostAnswer answer = deepHost();
    answer.kernelLog = sectionOf("\n", 1, "No journal files were opened due to insufficient permissions.\n");
    const Snapshot snapshot = assembled(answer); // 149: no right to read is not "nothing happened"
    QVERIFY(problemCalled(snapshot, u"section.kernel_log"_s)->text.contains(u"insufficient permissions"_s));
}

void TstAssembleHost::deep_kernelLogTroubleIsOneSentence_data()
{
    QTest::addColumn<QByteArray>("errors");
    QTest::addColumn<QString>("text");
    QTest::newRow("neither tool") << QByteArray("sh: 1: journalctl: not found\n")
                                  << u"dmesg does not give it to this account, and there is no journalctl to ask"_s;
    QTest::newRow("bash says so") << QByteArray("/bin/sh: line 7: journalctl: command not found\n")
                                  << u"dmesg does not give it to this account, and there is no journalctl to ask"_s;
    QTest::newRow("it may not be run") << QByteArray("/bin/sh: 82: journalctl: Permission denied\n")
                                       << u"dmesg does not give it to this account, and there is no journalctl to ask"_s;
    QTest::newRow("the hint before") << QByteArray("Hint: You are currently not seeing messages from other users.\n"
                                                   "      Pass -q to turn off this notice.\n"
                                                   "No journal files were opened due to insufficient permissions.\n")
                                     << u"No journal files were opened due to insufficient permissions"_s;
}

void TstAssembleHost::deep_kernelLogTroubleIsOneSentence()
{
    QFETCH(QByteArray, errors);
    QFETCH(QString, text);
    HostAnswer answer = deepHost();
    answer.kernelLog = sectionOf({}, 127, errors);
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(codesOf(snapshot), QStringList{u"section.kernel_log"_s});
    QCOMPARE(snapshot.problems.first().text, u"The kernel log could not be read: "_s + text + u'.');
}

void TstAssembleHost::deep_shm()
{
    HostAnswer answer = deepHost();
    answer.shm = QList<RawShmFile>{{"/dev/shm/psm_1a2b", 4096, 0, 26, 7, QList<qint64>{4242}},
                                   {"/dev/shm/evil\n\033[31m", 1, 1000, 26, 8, std::nullopt},
                                   {"/dev/shm/empty", 0, 0, 26, 9, QList<qint64>()}};
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(snapshot.shm->size(), 3);
    QCOMPARE(snapshot.shm->at(0).kib, qint64(4));
    QCOMPARE(*snapshot.shm->at(0).mappedBy, QList<qint64>{4242});
    QCOMPARE(snapshot.shm->at(1).kib, qint64(1)); // a started KiB counts
    QCOMPARE(snapshot.shm->at(1).path, u"/dev/shm/evil\u240a\u241b[31m"_s);
    QVERIFY(!snapshot.shm->at(1).mappedBy);
    QCOMPARE(snapshot.shm->at(1).mappedByUnknown, UnknownReason::NoPermission);
    (*answer.shm)[1].mappedByUnknown = UnknownReason::Failed;
    QCOMPARE(assembled(answer).shm->at(1).mappedByUnknown, UnknownReason::Failed);
    QCOMPARE(snapshot.shm->at(2).kib, qint64(0));
    QVERIFY(snapshot.shm->at(2).mappedBy->isEmpty());
}

void TstAssembleHost::deep_kernelLog_data()
{
    QTest::addColumn<QByteArray>("line");
    QTest::addColumn<QString>("code");
    QTest::addColumn<Severity>("severity");
    QTest::addColumn<int>("gpu");
    const auto row = [](const char *name, const char *line, const QString &code, Severity severity, int gpu) {
        QTest::newRow(name) << QByteArray(line) << code << severity << gpu;
    };
    row("79", "[5.1] NVRM: Xid (PCI:0000:11:00): 79, GPU has fallen off the bus.", u"gpu.xid"_s, Severity::Critical, 1);
    row("31", "[5.1] NVRM: Xid (PCI:0000:10:00): 31, pid=1, name=x, MMU Fault", u"gpu.xid"_s, Severity::Warning, 0);
    row("45", "[5.1] NVRM: Xid (PCI:0000:10:00): 45, pid=1, name=x", u"gpu.xid"_s, Severity::Notice, 0);
    row("unknown number, card elsewhere", "[5.1] NVRM: Xid (PCI:0000:99:00): 999, x", u"gpu.xid"_s, Severity::Warning,
        -1);
    row("SXid", "[5.1] nvidia-nvswitch0: SXid (PCI:0000:c5:00.0): 12028, Non-fatal", u"gpu.sxid"_s, Severity::Warning,
        -1);
    row("bus", "[5.1] NVRM: GPU 0000:11:00.0: GPU has fallen off the bus.", u"gpu.off_the_bus"_s, Severity::Critical,
        1);
    row("oom", "[5.1] Out of memory: Killed process 4242 (python3) total-vm:1kB", u"host.oom_kill"_s, Severity::Warning,
        -1);
    row("hung", "[5.1] INFO: task nvidia-smi:991 blocked for more than 120 seconds.", u"host.hung_task"_s,
        Severity::Warning, -1);
}

void TstAssembleHost::deep_kernelLog()
{
    QFETCH(QByteArray, line);
    QFETCH(QString, code);
    QFETCH(int, gpu);
    HostAnswer answer = deepHost();
    answer.kernelLog = sectionOf(line + '\n');
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(codesOf(snapshot), QStringList{code});
    QTEST(snapshot.problems.first().severity, "severity");
    QCOMPARE(snapshot.problems.first().gpu.value_or(-1), gpu);
    QVERIFY(snapshot.problems.first().text.contains(u"5.1"_s));
    answer.depth = Depth::Light;
    QCOMPARE(codesOf(assembled(answer)), QStringList());
}

void TstAssembleHost::deep_kernelLogIsGrouped()
{
    HostAnswer answer = deepHost();
    QByteArray log;
    for (int i = 1; i <= 500; ++i)
        log += "[" + QByteArray::number(i) + ".5] NVRM: Xid (PCI:0000:10:00): 31, pid=" + QByteArray::number(i)
               + ", name=x\n";
    answer.kernelLog = sectionOf(log + "[600.0] NVRM: Xid (PCI:0000:11:00): 31, pid=1, name=x\n");
    const Snapshot snapshot = assembled(answer);
    QCOMPARE(codesOf(snapshot), (QStringList{u"gpu.xid"_s, u"gpu.xid"_s}));
    QVERIFY(snapshot.problems.first().text.contains(u"500 times"_s));
    QVERIFY(snapshot.problems.first().text.contains(u"500.5"_s)); // the last
}

void TstAssembleHost::deep_asOrdinaryUser()
{
    HostAnswer answer = deepHost();
    answer.root = false;
    QCOMPARE(codesOf(assembled(answer)), QStringList{u"host.not_root"_s});
}

PILOTHOUSE_TEST_MAIN(TstAssembleHost)
#include "tst_assemblehost.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The real script under the shells that hosts have, against processes and tools made for it.
#include "tests/support/skip.h"
#include "tests/unit/probe/ownprocesses.h"
#include "tests/unit/probe/scriptrig.h"

#include <QTcpServer>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

QByteArray joined(const QList<QByteArray> &arguments)
{
    return arguments.join('\0');
}

/// grep drops empty lines; nothing else may get lost.
QByteArray withoutEmptyLines(QByteArray text)
{
    while (text.contains("\n\n"))
        text.replace("\n\n", "\n");
    while (text.endsWith('\n'))
        text.chop(1);
    return text;
}

} // namespace

class TstProbeScript : public QObject
{
    Q_OBJECT

private slots:
    void light_underEachShell_data() { shells(); }
    void light_underEachShell();
    void deep_underEachShell_data() { shells(); }
    void deep_underEachShell();
    void titles_cannotForgeRecords_data() { shells(); }
    void titles_cannotForgeRecords();
    void titles_oversized_data() { shells(); }
    void titles_oversized();
    void matches_aboveTheLimit();
    void field_refusedOnceThenLeftOut();
    void nvidiaSmi_absent();
    void nvidiaSmi_exitCodeAndBothStreams();
    void nvidiaSmi_needsTheLoginsLibraryPath();
    void kernelLog_whatCannotBeReadIsNotNone();
    void zombieLeader_threadsHoldTheDevice();
    void noBase64_goesOnInHex();
    void plainUser_whatCannotBeSeenIsNamed();
    void oneThatMayNotBeLookedAt_isNamedInEveryTick_data();
    void oneThatMayNotBeLookedAt_isNamedInEveryTick();
    void hiddenProcesses_isSaid();

private:
    static void shells();
    /// A provider for the row's shell; skips where it cannot be had.
    [[nodiscard]] std::unique_ptr<LocalShellProvider> providerFor(const FakeHost &host);

    QTemporaryDir m_applets;
};

void TstProbeScript::shells()
{
    QTest::addColumn<QString>("shell");
    QTest::newRow("dash") << u"dash"_s;
    QTest::newRow("bash") << u"bash"_s;
    QTest::newRow("busybox with its applets only") << u"busybox"_s;
    QTest::newRow("ksh") << u"ksh"_s;
}

std::unique_ptr<LocalShellProvider> TstProbeScript::providerFor(const FakeHost &host)
{
    QFETCH(QString, shell);
    auto provider = std::make_unique<LocalShellProvider>(loginThrough(shell));
    provider->environment = host.environment();
    if (shell == u"busybox")
        provider->environment.insert(u"PATH"_s, host.path({}) + u':' + appletFolder(m_applets));
    return provider;
}

#define PROVIDER_OR_SKIP(name, host)                                                               \
    const auto name = providerFor(host);                                                           \
    if ((name)->command.isEmpty())                                                                 \
        PILOTHOUSE_SKIP("this shell is not installed, or no mount namespace can be made here");

void TstProbeScript::light_underEachShell()
{
    FakeHost host;
    host.nvidiaSmi(8);
    const qint64 worker = host.process({"VLLM::Worker_TP0"});
    const qint64 server = host.process(
        {"/opt/venv/bin/python3", "/opt/venv/bin/vllm", "serve", "m", "--port", "8000"});
    const qint64 other = host.process({"python3", "train.py", "", "--empty-argument-before"});
    host.apps("GPU-0, " + QByteArray::number(worker) + ", 96615, VLLM::Worker_TP0\nGPU-1, "
              + QByteArray::number(other) + ", 500, python3\n");
    PROVIDER_OR_SKIP(provider, host);
    ScriptRig rig(*provider);
    QVERIFY2(rig.open(), qPrintable(rig.error.value_or(Error()).detail));
    const HostFacts &facts = rig.channel.facts();
    QVERIFY(!facts.bootId.isEmpty());
    QCOMPARE(facts.uid, qint64(geteuid()));
    QCOMPARE(facts.clockTicks, 100);

    const auto built = rig.ask();
    QVERIFY2(built, qPrintable(rig.error.value_or(Error()).detail));
    const HostAnswer &answer = built->answer;
    QVERIFY2(answer.processes, qPrintable(answer.processTrouble));
    const RawProcess *process = findProcess(answer, worker);
    QVERIFY(process);
    QCOMPARE(process->cmdline, QByteArray("VLLM::Worker_TP0"));
    QVERIFY(process->ruleMatch);
    QCOMPARE(process->uid, qint64(geteuid()));
    QVERIFY(process->stat.startsWith(QByteArray(QByteArray::number(worker) + " (")));
    QVERIFY(!process->cgroup.isEmpty());
    process = findProcess(answer, server);
    QVERIFY(process);
    QCOMPARE(process->cmdline, joined({"/opt/venv/bin/python3", "/opt/venv/bin/vllm", "serve", "m",
                                       "--port", "8000"}));
    process = findProcess(answer, other); // no rule knows it; the driver names it
    QVERIFY(process);
    QVERIFY(!process->ruleMatch);
    QCOMPARE(process->cmdline, joined({"python3", "train.py", "", "--empty-argument-before"}));

    QCOMPARE(answer.smi.status, GpuSource::Status::Ok);
    QCOMPARE(answer.smi.gpus.output.trimmed().split('\n').size(), 8);
    QCOMPARE(answer.smi.apps.output.trimmed().split('\n').size(), 2);
    QVERIFY(answer.meminfo.output.contains("MemAvailable"));
    QVERIFY(answer.vmstat.output.startsWith("oom_kill "));
    QCOMPARE(answer.loadavg.output.trimmed().split(' ').size(), 5);
    QVERIFY(answer.uptimeAfter >= answer.uptimeBefore);
    QVERIFY(!answer.users.value(qint64(geteuid())).isEmpty());

    // In the next tick the driver's part only confirms what the kernel's part describes.
    rig.request.described = built->described;
    const auto again = rig.ask();
    QVERIFY(again);
    QVERIFY(findProcess(again->answer, worker));
    QVERIFY(findProcess(again->answer, other));
}

void TstProbeScript::deep_underEachShell()
{
    FakeHost host;
    host.nvidiaSmi(1);
    QTemporaryDir shm(u"/dev/shm/pilothouse-XXXXXX"_s);
    if (!shm.isValid() || geteuid() != 0)
        PILOTHOUSE_SKIP("needs root: device nodes and everybody's descriptors");
    const QString device = u"/dev/nvidia9"_s;
    QVERIFY(QFile::exists(device)
            || QProcess::execute(u"mknod"_s, {device, u"c"_s, u"1"_s, u"3"_s}) == 0);
    const auto removeDevice = qScopeGuard([&device] { QFile::remove(device); });
    const QString segment = u"/dev/shm/psm_pilothouse_test"_s;
    const QString opened = u"/dev/shm/psm_pilothouse\nopened"_s;
    for (const QString &name : {segment, opened}) {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.resize(8192));
    }
    // A path that reads like another process's descriptor.
    const QString tree = u"/dev/shm/pilothouse\n1"_s;
    const QString forged = tree + u"/fd/3 /dev/nvidia9"_s;
    QVERIFY(QDir().mkpath(QFileInfo(forged).path()));
    QVERIFY(QFile(forged).open(QIODevice::WriteOnly));
    const auto removeFiles = qScopeGuard([&] {
        QFile::remove(segment);
        QFile::remove(opened);
        QDir(tree).removeRecursively();
    });
    // More than is wanted, the newest last; a line that reads like a socket's.
    host.tool(u"dmesg"_s, "i=0; while [ $i -lt 100 ]; do i=$((i + 1)); echo \"[  1.0] NVRM: line $i\"; done\n"
                          "echo '[  2.0] usb 1-1: new device'\n"
                          "echo 'net/tcp:   0: 0100007F:0001 00000000:0000 0A nvidia'\n");
    QTcpServer port;
    QVERIFY(port.listen(QHostAddress::LocalHost));
    const quint16 number = port.serverPort();
    port.close();
    const qint64 holder =
        host.process({"python3", "unknown.py"}, {u"copies=3"_s, u"open="_s + device,
                                                 u"map="_s + segment, u"listen=%1"_s.arg(number)});
    const qint64 reader = host.process(
        {"VLLM::reader"}, {u"open=hex:"_s + QString::fromLatin1(opened.toUtf8().toHex()),
                           u"open=hex:"_s + QString::fromLatin1(forged.toUtf8().toHex())});
    QVERIFY(holder > 0 && reader > 0);

    PROVIDER_OR_SKIP(provider, host);
    ScriptRig rig(*provider);
    QVERIFY2(rig.open(), qPrintable(rig.error.value_or(Error()).detail));
    const auto built = rig.ask(Depth::Deep);
    QVERIFY2(built, qPrintable(rig.error.value_or(Error()).detail));
    const HostAnswer &answer = built->answer;
    const RawProcess *process = findProcess(answer, holder);
    QVERIFY(process);
    QVERIFY(process->devices);
    QCOMPARE(*process->devices, QList<QByteArray>{"/dev/nvidia9"});
    process = findProcess(answer, reader);
    QVERIFY(process);
    QVERIFY(process->devices);
    QVERIFY(process->devices->isEmpty());
    QVERIFY(std::ranges::find(answer.socketOwners, holder) != answer.socketOwners.end());
    QVERIFY(answer.tcp.output.contains(QByteArray::number(number, 16).toUpper()));
    QVERIFY(!answer.tcp.output.contains(":0001 ") && !answer.tcp.output.contains("NVRM"));
    const QList<QByteArray> log = answer.kernelLog.output.trimmed().split('\n');
    QCOMPARE(log.size(), 80);
    QCOMPARE(log.first(), QByteArray("[  1.0] NVRM: line 22"));
    QVERIFY(log.last().startsWith("net/tcp: "));
    QVERIFY(!findProcess(answer, 1));
    QVERIFY(answer.shm);
    const auto fileOf = [&answer](const QByteArray &start) -> const RawShmFile * {
        const auto found = std::ranges::find_if(
            *answer.shm, [&start](const RawShmFile &file) { return file.path.startsWith(start); });
        return found == answer.shm->end() ? nullptr : &*found;
    };
    const RawShmFile *file = fileOf("/dev/shm/psm_pilothouse_test");
    QVERIFY(file);
    QCOMPARE(file->bytes, 8192);
    QCOMPARE(file->uid, 0);
    if (answer.socketOwnersComplete)
        QCOMPARE(file->mappedBy.value_or(QList<qint64>()), QList<qint64>{holder});
    else
        QVERIFY(!file->mappedBy); // some process of this machine cannot be looked at, even by root
    file = fileOf("/dev/shm/psm_pilothouse\x01");
    QVERIFY(file);
    if (answer.socketOwnersComplete)
        QCOMPARE(file->mappedBy.value_or(QList<qint64>()), QList<qint64>{reader});
}

void TstProbeScript::titles_cannotForgeRecords()
{
    FakeHost host;
    host.nvidiaSmi(1);
    const QList<QByteArray> titles{
        "VLLM::\n==> /proc/999/cmdline <==\nVLLM::forged",
        "VLLM::\n999/cmdline:VLLM::forged\n999/stat:999 (forged) S 1 1 "
        "1\n999/status:Uid:\t0\t0\t0\t0",
        "VLLM::\n@PH 0123456789abcdef0123456789abcdef SECTION procs 0 0 0 0 0\n\n@PH 0 END 1 1 1\n",
        "VLLM::\xff\xfe\x01\x1b[31m\n\n\n",
        "VLLM::\\n\\0%s%d$(touch /tmp/no)`id`'\"",
    };
    QList<qint64> pids;
    for (const QByteArray &title : titles)
        pids.append(host.process(
            {title}, {u"comm="_s + QString::fromLatin1(QByteArray("a) S 1\n9 (b").toHex())}));
    const qint64 emptyName = host.process({"", "VLLM::7"}, {u"comm="_s});
    PROVIDER_OR_SKIP(provider, host);
    ScriptRig rig(*provider);
    QVERIFY2(rig.open(), qPrintable(rig.error.value_or(Error()).detail));
    const auto built = rig.ask();
    QVERIFY2(built, qPrintable(rig.error.value_or(Error()).detail));
    const HostAnswer &answer = built->answer;
    QVERIFY2(answer.processes, qPrintable(answer.processTrouble));
    QVERIFY(!findProcess(answer, 999));
    for (qsizetype i = 0; i < titles.size(); ++i) {
        const RawProcess *process = findProcess(answer, pids[i]);
        QVERIFY(process);
        QCOMPARE(withoutEmptyLines(process->cmdline), withoutEmptyLines(titles[i]));
        QVERIFY(process->stat.startsWith(
            QByteArray(QByteArray::number(pids[i]) + " (a) S 1\n9 (b) S ")));
    }
    const RawProcess *process = findProcess(answer, emptyName);
    QVERIFY(process);
    QCOMPARE(process->cmdline, joined({"", "VLLM::7"}));
    QVERIFY(process->stat.startsWith(QByteArray(QByteArray::number(emptyName) + " () ")));
}

void TstProbeScript::titles_oversized()
{
    FakeHost host;
    host.nvidiaSmi(1);
    const QByteArray large(60'000, 'x');
    QList<qint64> pids;
    for (int i = 0; i < 3; ++i)
        pids.append(host.process({"VLLM::large", large, "end"}));
    const qint64 small = host.process({"VLLM::small", "\n0 1/cmdline\nVLLM::forged"});
    PROVIDER_OR_SKIP(provider, host);
    ScriptRig rig(*provider);
    QVERIFY2(rig.open(), qPrintable(rig.error.value_or(Error()).detail));
    const auto built = rig.ask();
    QVERIFY2(built, qPrintable(rig.error.value_or(Error()).detail));
    QVERIFY2(built->answer.processes, qPrintable(built->answer.processTrouble));
    for (const qint64 pid : pids) {
        const RawProcess *process = findProcess(built->answer, pid);
        QVERIFY(process);
        QCOMPARE(process->cmdline.size(), cmdlineLimit);
        QVERIFY(process->cmdlineCut);
    }
    const RawProcess *process = findProcess(built->answer, small);
    QVERIFY(process);
    QCOMPARE(process->cmdline, joined({"VLLM::small", "\n0 1/cmdline\nVLLM::forged"}));
    QVERIFY(!process->cmdlineCut);
}

void TstProbeScript::matches_aboveTheLimit()
{
    FakeHost host;
    host.nvidiaSmi(1);
    for (int i = 0; i < 6; ++i)
        host.process({"VLLM::Worker_TP" + QByteArray::number(i)});
    LocalShellProvider provider;
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY(rig.open());
    auto built = rig.ask();
    QVERIFY(built);
    QVERIFY(!built->answer.matchLimitHit);
    rig.request.matchLimit = 4;
    built = rig.ask();
    QVERIFY(built);
    QVERIFY(built->answer.matchLimitHit);
    QVERIFY(built->answer.processes);
    QVERIFY(built->answer.processes->size() <= 4);
}

void TstProbeScript::field_refusedOnceThenLeftOut()
{
    FakeHost host;
    host.tool(u"nvidia-smi"_s, "echo \"$1\" >>" + QFile::encodeName(host.path(u"calls"_s)) + R"SH(
case $1 in
*gpu_recovery_action*) echo 'Field "gpu_recovery_action" is not a valid field to query.'; echo; exit 2 ;;
*memory.reserved*) echo 'Field "memory.reserved" is not a valid field to query.'; echo; exit 2 ;;
--query-gpu*) echo '0, GPU-0' ;;
esac
)SH");
    LocalShellProvider provider;
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY(rig.open());
    auto built = rig.ask();
    QVERIFY(built);
    QVERIFY(!built->answer.smi.askedFields.contains(u"gpu_recovery_action"_s));
    QVERIFY(!built->answer.smi.askedFields.contains(u"memory.reserved"_s));
    QCOMPARE(built->answer.smi.askedFields.size(), rig.request.gpuFields.size() - 2);
    QCOMPARE(built->answer.smi.gpus.exitStatus, 0);
    built = rig.ask();
    QVERIFY(built);
    QFile calls(host.path(u"calls"_s));
    QVERIFY(calls.open(QIODevice::ReadOnly));
    // Two refusals, then gpus and apps, then gpus and apps of the second tick.
    QCOMPARE(calls.readAll().trimmed().split('\n').size(), 6);
}

void TstProbeScript::nvidiaSmi_absent()
{
    if (QFile::exists(u"/usr/bin/nvidia-smi"_s))
        PILOTHOUSE_SKIP("this machine has an nvidia-smi");
    FakeHost host;
    LocalShellProvider provider;
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY(rig.open());
    auto built = rig.ask();
    QVERIFY(built);
    QCOMPARE(built->answer.smi.status, GpuSource::Status::Absent);
    QVERIFY(built->answer.processes);
    host.nvidiaSmi(2); // a driver that is installed later is found without a new connection
    built = rig.ask();
    QVERIFY(built);
    QCOMPARE(built->answer.smi.status, GpuSource::Status::Ok);
}

void TstProbeScript::nvidiaSmi_exitCodeAndBothStreams()
{
    FakeHost host;
    host.tool(
        u"nvidia-smi"_s,
        "echo 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.'\n"
        "echo 'and a word on the other stream' >&2\nexit 9\n");
    LocalShellProvider provider;
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY(rig.open());
    const auto built = rig.ask();
    QVERIFY(built);
    QCOMPARE(built->answer.smi.status, GpuSource::Status::Failed);
    QCOMPARE(built->answer.smi.gpus.exitStatus, 9);
    QVERIFY(built->answer.smi.gpus.output.contains("could not communicate"));
    QVERIFY(built->answer.smi.gpus.output.contains("other stream"));
}

void TstProbeScript::nvidiaSmi_needsTheLoginsLibraryPath()
{
    FakeHost host;
    host.tool(u"nvidia-smi"_s, R"SH(if [ "$LD_LIBRARY_PATH" != /usr/lib64-nvidia ]; then
    echo "libnvidia-ml.so was not found"
    exit 12
fi
case $1 in --query-gpu*) echo '0, GPU-0' ;; esac
)SH");
    LocalShellProvider provider;
    provider.environment = host.environment();
    ScriptRig without(provider);
    QVERIFY(without.open());
    auto built = without.ask();
    QVERIFY(built);
    QCOMPARE(built->answer.smi.gpus.exitStatus, 12);
    provider.environment.insert(u"LD_LIBRARY_PATH"_s, u"/usr/lib64-nvidia"_s);
    ScriptRig with(provider);
    QVERIFY(with.open());
    built = with.ask();
    QVERIFY(built);
    QCOMPARE(built->answer.smi.gpus.exitStatus, 0);
    QCOMPARE(built->answer.smi.gpus.output.trimmed(), QByteArray("0, GPU-0"));
}

void TstProbeScript::kernelLog_whatCannotBeReadIsNotNone()
{
    FakeHost host;
    host.nvidiaSmi(1);
    host.tool(u"dmesg"_s,
              "echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2\nexit 1\n");
    host.tool(u"journalctl"_s, "exit 0\n");
    LocalShellProvider provider;
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY(rig.open());
    auto built = rig.ask(Depth::Deep);
    QVERIFY(built);
    QVERIFY(built->answer.kernelLog.exitStatus != 0);
    host.tool(
        u"journalctl"_s,
        "echo '2026-12-01T22:13:38+0000 h kernel: NVRM: Xid (PCI:0000:01:00): 79, GPU has fallen'\n"
        "echo '2026-12-01T22:13:39+0000 h kernel: usb 1-1: new device'\n");
    built = rig.ask(Depth::Deep);
    QVERIFY(built);
    QCOMPARE(built->answer.kernelLog.exitStatus, 0);
    QVERIFY(built->answer.kernelLog.output.contains("Xid"));
    QVERIFY(!built->answer.kernelLog.output.contains("usb"));
}

void TstProbeScript::zombieLeader_threadsHoldTheDevice()
{
    if (geteuid() != 0)
        PILOTHOUSE_SKIP("needs root: a device node");
    FakeHost host;
    host.nvidiaSmi(1);
    const QString device = u"/dev/nvidia8"_s;
    QVERIFY(QFile::exists(device)
            || QProcess::execute(u"mknod"_s, {device, u"c"_s, u"1"_s, u"3"_s}) == 0);
    const auto removeDevice = qScopeGuard([&device] { QFile::remove(device); });
    const qint64 pid = host.process({"python3", "x.py"}, {u"open="_s + device, u"zombie-leader"_s});
    QVERIFY(pid > 0);
    LocalShellProvider provider;
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY(rig.open());
    const auto state = [pid] {
        QFile stat(u"/proc/%1/stat"_s.arg(pid));
        return stat.open(QIODevice::ReadOnly) && stat.readAll().contains(") Z ");
    };
    QTRY_VERIFY(state());
    const auto built = rig.ask(Depth::Deep);
    QVERIFY(built);
    const RawProcess *process = findProcess(built->answer, pid);
    QVERIFY(process);
    QCOMPARE(process->devices.value_or(QList<QByteArray>()), QList<QByteArray>{"/dev/nvidia8"});
}

void TstProbeScript::noBase64_goesOnInHex()
{
    FakeHost host;
    host.nvidiaSmi(1);
    const qint64 pid = host.process({"VLLM::Worker", "x\ny"});
    const auto providerCommand = loginThrough(u"busybox"_s);
    if (providerCommand.isEmpty())
        PILOTHOUSE_SKIP("no busybox, or no mount namespace can be made here");
    QTemporaryDir applets;
    appletFolder(applets);
    QFile::remove(applets.filePath(u"base64"_s));
    LocalShellProvider provider(providerCommand);
    provider.environment.insert(u"PATH"_s, host.path({}) + u':' + applets.path());
    ScriptRig rig(provider);
    QVERIFY(rig.open());
    QCOMPARE(rig.channel.facts().encoding, Encoding::Hex);
    const auto built = rig.ask();
    QVERIFY(built);
    const RawProcess *process = findProcess(built->answer, pid);
    QVERIFY(process);
    QCOMPARE(process->cmdline, joined({"VLLM::Worker", "x\ny"}));
}

void TstProbeScript::plainUser_whatCannotBeSeenIsNamed()
{
    if (geteuid() != 0)
        PILOTHOUSE_SKIP("needs root to become somebody else");
    FakeHost host;
    host.nvidiaSmi(1);
    QFile::setPermissions(host.path({}), QFile::Permissions(0x7755));
    const qint64 root = host.process({"VLLM::root"});
    LocalShellProvider provider({u"setpriv"_s, u"--reuid=65534"_s, u"--regid=65534"_s,
                                 u"--clear-groups"_s, u"/bin/sh"_s, u"-c"_s, u"exec /bin/sh"_s});
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY(rig.open());
    QCOMPARE(rig.channel.facts().uid, 65534);
    const auto built = rig.ask(Depth::Deep);
    QVERIFY2(built, qPrintable(rig.error.value_or(Error()).detail));
    const HostAnswer &answer = built->answer;
    QVERIFY(!answer.root);
    const RawProcess *process = findProcess(answer, root);
    QVERIFY(process);
    QCOMPARE(process->uid, 0);
    QVERIFY(!process->devices); // not allowed to look, which is not "none"
    QVERIFY(!answer.socketOwnersComplete);
    QVERIFY(answer.shm);
    for (const RawShmFile &file : *answer.shm)
        QVERIFY(!file.mappedBy);
    QCOMPARE(answer.smi.status, GpuSource::Status::Ok);
}

void TstProbeScript::oneThatMayNotBeLookedAt_isNamedInEveryTick_data()
{
    QTest::addColumn<bool>("gnu");
    QTest::newRow("find") << true;
    QTest::newRow("a find without -printf") << false;
}

void TstProbeScript::oneThatMayNotBeLookedAt_isNamedInEveryTick()
{
    QFETCH(bool, gnu);
    if (geteuid() != 0)
        PILOTHOUSE_SKIP("needs root to become somebody else");
    FakeHost host;
    host.nvidiaSmi(1);
    QFile::setPermissions(host.path({}), QFile::Permissions(0x7755));
    QTemporaryDir applets;
    QFile::setPermissions(applets.path(), QFile::Permissions(0x7755));
    if (!gnu && QStandardPaths::findExecutable(u"busybox"_s).isEmpty())
        PILOTHOUSE_SKIP("no busybox here");
    // Processes of its own: the shell, and one of root's.
    LocalShellProvider provider({u"unshare"_s, u"--mount"_s, u"--pid"_s, u"--fork"_s, u"--mount-proc"_s, u"/bin/bash"_s,
                                 u"-c"_s,
                                 u"(exec -a VLLM::Worker /bin/sleep 1000 </dev/null >/dev/null 2>&1) & "
                                 "exec /usr/bin/setpriv --reuid=65534 --regid=65534 --clear-groups /bin/sh -c 'exec /bin/sh'"_s});
    provider.environment = host.environment();
    if (!gnu)
        provider.environment.insert(u"PATH"_s, host.path({}) + u':' + appletFolder(applets) + u":/usr/bin:/bin"_s);
    ScriptRig rig(provider);
    QVERIFY2(rig.open(), qPrintable(rig.error.value_or(Error()).detail));
    for (int tick = 1; tick <= 3; ++tick) {
        const auto built = rig.ask(Depth::Deep);
        QVERIFY2(built, qPrintable(rig.error.value_or(Error()).detail));
        QVERIFY(built->answer.processes);
        const auto worker = std::ranges::find_if(*built->answer.processes, [](const RawProcess &process) {
            return process.cmdline.startsWith("VLLM::Worker");
        });
        QVERIFY(worker != built->answer.processes->end());
        QCOMPARE(worker->uid, 0);
        QVERIFY2(!worker->devices, qPrintable(u"tick %1"_s.arg(tick))); // not allowed to look, which is not "none"
        QVERIFY(!built->answer.socketOwnersComplete);
    }
}

void TstProbeScript::hiddenProcesses_isSaid()
{
    if (geteuid() != 0)
        PILOTHOUSE_SKIP("needs root to mount");
    FakeHost host;
    host.nvidiaSmi(1);
    QFile::setPermissions(host.path({}), QFile::Permissions(0x7755));
    const qint64 root = host.process({"VLLM::root"});
    LocalShellProvider provider({u"unshare"_s, u"--mount"_s, u"/bin/sh"_s, u"-c"_s,
                                 u"mount -t proc -o hidepid=2 proc /proc || exit 9; exec setpriv "
                                 u"--reuid=65534 --regid=65534 --clear-groups /bin/sh "
                                 "-c 'exec /bin/sh'"_s});
    provider.environment = host.environment();
    ScriptRig rig(provider);
    QVERIFY2(rig.open(), qPrintable(rig.error.value_or(Error()).detail));
    QVERIFY(rig.channel.facts().hidepid);
    for (const Depth depth : {Depth::Light, Depth::Deep}) {
        const auto built = rig.ask(depth);
        QVERIFY2(built, qPrintable(rig.error.value_or(Error()).detail));
        QVERIFY2(built->answer.processes, qPrintable(built->answer.processTrouble));
        QVERIFY(!findProcess(built->answer, root));
        QVERIFY(built->answer.hidepid);
        QVERIFY(!built->answer.socketOwnersComplete);
    }
}

PILOTHOUSE_PROBE_TEST_MAIN(TstProbeScript)
#include "tst_probescript.moc"

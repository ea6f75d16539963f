// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The real script where it speaks to systemd: whether it is there, names that spoil a call, members of units.
#include "tests/unit/probe/ownprocesses.h"
#include "tests/unit/probe/scriptrig.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstProbeUnits : public QObject
{
    Q_OBJECT

private slots:
    void units_oneBadNameDoesNotKillTheCall();
    void units_noBusIsAskedOnce();
    void facts_whetherSystemdRunsTheHost();
    void units_membersComeFromTheirCgroup();
};

void TstProbeUnits::units_oneBadNameDoesNotKillTheCall()
{
    FakeHost host;
    host.nvidiaSmi(1);
    host.tool(u"systemctl"_s, R"SH(for last; do :; done
case "$*" in
*bad.service*) echo 'Failed to get properties: Unit name bad.service is neither a valid invocation ID nor unit name.' >&2; exit 1 ;;
esac
printf 'Id=%s\nLoadState=loaded\nControlGroup=\n' "$last"
)SH");
    LocalShellProvider provider;
    provider.environment = host.environment();
    ScriptRig rig(provider);
    rig.request.units = {u"bad.service"_s, u"good\\x2dname@1.service"_s, u"not a name"_s,
                         u"template@.service"_s};
    QVERIFY(rig.open());
    const auto built = rig.ask();
    QVERIFY(built);
    QVERIFY(built->answer.units.complete);
    QCOMPARE(built->answer.units.exitStatus, 0);
    QVERIFY(built->answer.units.output.contains("Id=good\\x2dname@1.service\n"));
    QVERIFY(built->answer.units.errors.contains("neither a valid"));
}

void TstProbeUnits::units_noBusIsAskedOnce()
{
    FakeHost host;
    host.nvidiaSmi(1);
    host.tool(u"systemctl"_s,
              "echo call >>" + QFile::encodeName(host.path(u"calls"_s))
                  + "\necho 'Failed to connect to bus: No such file or directory' >&2\nexit 1\n");
    LocalShellProvider provider;
    provider.environment = host.environment();
    ScriptRig rig(provider);
    rig.request.units = {u"a.service"_s, u"b.service"_s, u"c.service"_s};
    QVERIFY(rig.open());
    const auto built = rig.ask();
    QVERIFY(built);
    QCOMPARE(built->answer.units.exitStatus, 1);
    QVERIFY(built->answer.units.errors.startsWith("Failed to connect to bus"));
    QFile calls(host.path(u"calls"_s));
    QVERIFY(calls.open(QIODevice::ReadOnly));
    QCOMPARE(calls.readAll(), QByteArray("call\n"));
}

void TstProbeUnits::facts_whetherSystemdRunsTheHost()
{
    FakeHost host;
    host.tool(u"systemctl"_s, "exit 0\n");
    LocalShellProvider provider;
    provider.environment = host.environment();
    for (const bool runs : {false, true}) {
        provider.environment.insert(u"PILOTHOUSE_RUN_SYSTEMD"_s, runs ? host.path({}) : host.path(u"nothing"_s));
        ScriptRig rig(provider);
        QVERIFY(rig.open());
        QCOMPARE(rig.channel.facts().systemd, runs);
        QVERIFY(rig.channel.facts().systemctl);
        const auto built = rig.ask();
        QVERIFY(built);
        QCOMPARE(built->answer.systemd, runs);
    }
}

void TstProbeUnits::units_membersComeFromTheirCgroup()
{
    FakeHost host;
    host.nvidiaSmi(1);
    const qint64 member = host.process({"/usr/local/bin/unknown-server"});
    // A folder in place of /sys/fs/cgroup, with a cgroup below the unit's own.
    QDir().mkpath(host.path(u"sys/fs/cgroup/system.slice/my\\x2dunit.service/inner"_s));
    QFile procs(host.path(u"sys/fs/cgroup/system.slice/my\\x2dunit.service/inner/cgroup.procs"_s));
    QVERIFY(procs.open(QIODevice::WriteOnly));
    procs.write(QByteArray::number(member) + "\n0\nnonsense\n");
    procs.close();
    host.tool(
        u"systemctl"_s,
        "printf 'Id=my\\\\x2dunit.service\\nStatusText=x ControlGroup=/\\n"
        "ControlGroup=/system.slice/my\\\\x2dunit.service\\n\\nId=b.service\\nControlGroup=\\n'\n");
    LocalShellProvider provider;
    provider.environment = host.environment();
    provider.environment.insert(u"PILOTHOUSE_SYS"_s, host.path(u"sys"_s));
    ScriptRig rig(provider);
    rig.request.units = {u"my\\x2dunit.service"_s};
    QVERIFY(rig.open());
    const auto built = rig.ask();
    QVERIFY(built);
    const RawProcess *process = findProcess(built->answer, member);
    QVERIFY(process);
    QVERIFY(process->unitMember);
    QVERIFY(!process->ruleMatch);
}

PILOTHOUSE_PROBE_TEST_MAIN(TstProbeUnits)
#include "tst_probeunits.moc"

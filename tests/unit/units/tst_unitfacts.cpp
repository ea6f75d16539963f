// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the host says of a unit beyond its text.
#include "core/units/unitfacts.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstUnitFacts final : public QObject
{
    Q_OBJECT
private slots:
    void properties_areRead()
    {
        // systemctl show of systemd 252, composed from its lines
        const UnitFacts facts = readUnitFacts(
            u"x.service"_s, false,
            "Type=notify\nRestart=always\nEnvironmentFiles=/etc/default/a "
            "(ignore_errors=no)\nEnvironmentFiles=/etc/my default/b "
            "(ignore_errors=yes)\nRestartUSec=100ms\nTimeoutStartUSec=1min 30s\nTimeoutStopUSec=infinity\nUser=ops\n"
            "PrivateTmp=yes\nPrivateDevices=no\nKillMode=control-group\nSendSIGKILL=yes\nLoadState=loaded\n"
            "LoadError=org.x \"A \x1b[1m\"\nFragmentPath=/etc/systemd/system/x.service\nDropInPaths=/a.conf /b.conf\n"
            "NeedDaemonReload=yes\nStartLimitIntervalUSec=10s\nStartLimitBurst=5\nWhatever=1\n");
        QCOMPARE(facts.type, u"notify"_s);
        QCOMPARE(facts.restart, u"always"_s);
        QCOMPARE(facts.userName, u"ops"_s);
        QCOMPARE(facts.paths, (QStringList{u"/etc/systemd/system/x.service"_s, u"/a.conf"_s, u"/b.conf"_s}));
        QCOMPARE(facts.timeoutStart.value().count(), 90'000'000);
        QCOMPARE(facts.timeoutStop.value().count(), endlessTime.count());
        QCOMPARE(facts.restartDelay.value().count(), 100'000);
        QCOMPARE(facts.startLimitInterval.value().count(), 10'000'000);
        QCOMPARE(facts.startLimitBurst, std::optional(5));
        QCOMPARE(facts.privateTmp, std::optional(true));
        QCOMPARE(facts.privateDevices, std::optional(false));
        QVERIFY(facts.needDaemonReload);
        QVERIFY(!facts.loadError.contains(u'\x1b'));
        QCOMPARE(facts.environmentFiles, (QList<EnvironmentNames>{{u"/etc/default/a"_s, std::nullopt},
                                                                  {u"/etc/my default/b"_s, std::nullopt}}));
    }

    void oddProperties_areUnknown()
    {
        const UnitFacts facts = readUnitFacts(u"x.service"_s, true,
                                              "TimeoutStartUSec=[not "
                                              "set]\nStartLimitBurst=many\nPrivateTmp=connected\n=x\n\n");
        QVERIFY(!facts.timeoutStart && !facts.startLimitBurst && !facts.privateTmp && !facts.sendSigkill);
        QVERIFY(facts.paths.isEmpty() && facts.load.isEmpty());
    }

    void hostLines_areRead()
    {
        UnitFacts facts;
        facts.environmentFiles = {{u"/a"_s, {}}, {u"/b"_s, {}}};
        addHostLines(facts, "manager LANG\nmanager PATH\nfile 1 ok\nname 1 A\nname 1 B_2\nfile 2 no\nname 2 C\nname "
                            "9 D\n"
                            "name 1 secret=value\nname 1 0x\naccount 1000 1000 44\nnode 660 0 44 video /dev/nvidia0\n"
                            "node 666 0 0 UNKNOWN /dev/nvidiactl\nnonsense\nnode 1\n");
        QCOMPARE(facts.managerNames.value(), (QStringList{u"LANG"_s, u"PATH"_s}));
        QCOMPARE(facts.environmentFiles.at(0).names.value(), (QStringList{u"A"_s, u"B_2"_s}));
        QVERIFY(!facts.environmentFiles.at(1).names);
        QCOMPARE(facts.uid, std::optional<qint64>(1000));
        QCOMPARE(facts.gids, (QList<qint64>{1000, 44}));
        QCOMPARE(facts.devices, (QList<DeviceAccess>{{u"/dev/nvidia0"_s, 0660, 0, 44, u"video"_s},
                                                     {u"/dev/nvidiactl"_s, 0666, 0, 0, {}}}));
    }
};

PILOTHOUSE_TEST_MAIN(TstUnitFacts)
#include "tst_unitfacts.moc"

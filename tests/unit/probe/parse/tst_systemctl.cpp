// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Answers of systemctl show as reproduced with systemd 252; numbers point to the collection they come from.
#include "core/probe/parse/systemctl.h"
#include "tests/support/testmain.h"

#include <algorithm>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

QString shown(const Quantity<int> &q)
{
    return q.isKnown() ? QString::number(q.value()) : u"?"_s;
}

/// load active/sub result main restarts code/status file
QString brief(const Unit &unit)
{
    return unit.load + u' ' + unit.active + u'/' + unit.sub + u' ' + unit.result + u" main "_s
           + (unit.mainPid.isKnown() ? QString::number(unit.mainPid.value()) : u"?"_s) + u" restarts "_s
           + shown(unit.restarts) + u" ended "_s + shown(unit.execMainCode) + u'/' + shown(unit.execMainStatus) + u' '
           + unit.unitFileState;
}

UnitBlocks parse(const QStringList &asked, const QByteArray &output, const QByteArray &errors = {})
{
    return parseUnits(asked, output, errors, {}, false);
}

QByteArray block(const char *id, const char *main, const char *result, const char *restarts, const char *code,
                 const char *status, const char *load, const char *active, const char *sub, const char *file)
{
    return QByteArray("MainPID=") + main + "\nResult=" + result + "\nNRestarts=" + restarts + "\nExecMainCode=" + code
           + "\nExecMainStatus=" + status + "\nId=" + id + "\nLoadState=" + load + "\nActiveState=" + active
           + "\nSubState=" + sub + "\nUnitFileState=" + file + '\n';
}

} // namespace

class TstSystemctl final : public QObject
{
    Q_OBJECT
private slots:
    void unit_everyState_data();
    void unit_everyState();
    void unit_orderOfPropertiesDoesNotMatter();
    void unit_missingPropertiesAreAbsent();
    void units_severalInOneCall();
    void units_askedTwiceAnsweredTwice();
    void units_answeredUnderAnotherName();
    void units_oneBadNameCostsAll();
    void value_withEqualsAndLineFeed();
    void value_continuationForgesNothing();
    void value_unknownPropertiesArePassedOver();
    void sentinel_isNoFigure_data();
    void sentinel_isNoFigure();
    void time_everyForm_data();
    void time_everyForm();
    void since_followsTheState();
    void since_fromTheMonotonicClock();
    void failure_busAndNoSystemd_data();
    void failure_busAndNoSystemd();
    void output_truncatedAnywhere();
    void properties_noSecrets();
};

void TstSystemctl::unit_everyState_data()
{
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<QString>("expected");
    const auto row = [](const char *name, const QByteArray &output, const QString &expected) {
        QTest::newRow(name) << output << expected;
    };
    row("117 running", block("x.service", "173", "success", "0", "0", "0", "loaded", "active", "running", "enabled"),
        u"loaded active/running success main 173 restarts 0 ended ?/? enabled"_s);
    row("119 masked", block("x.service", "0", "success", "0", "0", "0", "masked", "inactive", "dead", "masked"),
        u"masked inactive/dead success main ? restarts 0 ended ?/? masked"_s);
    row("121 exited non-zero",
        block("x.service", "0", "exit-code", "0", "1", "1", "loaded", "failed", "failed", "static"),
        u"loaded failed/failed exit-code main ? restarts 0 ended 1/1 static"_s);
    row("123 waiting to restart",
        block("x.service", "0", "exit-code", "0", "1", "3", "loaded", "activating", "auto-restart", "static"),
        u"loaded activating/auto-restart exit-code main ? restarts 0 ended 1/3 static"_s);
    row("125 start limit",
        block("x.service", "0", "start-limit-hit", "3", "1", "0", "loaded", "failed", "failed", "static"),
        u"loaded failed/failed start-limit-hit main ? restarts 3 ended 1/0 static"_s);
    row("127 segmentation fault",
        block("x.service", "0", "signal", "0", "2", "11", "loaded", "failed", "failed", "static"),
        u"loaded failed/failed signal main ? restarts 0 ended 2/11 static"_s);
    row("129 still loading",
        block("x.service", "211", "success", "0", "0", "0", "loaded", "activating", "start", "static"),
        u"loaded activating/start success main 211 restarts 0 ended ?/? static"_s);
    row("131 203/EXEC", block("x.service", "0", "exit-code", "0", "1", "203", "loaded", "failed", "failed", "static"),
        u"loaded failed/failed exit-code main ? restarts 0 ended 1/203 static"_s);
    row("133 one-shot done", block("x.service", "0", "success", "0", "1", "0", "loaded", "active", "exited", "static"),
        u"loaded active/exited success main ? restarts 0 ended 1/0 static"_s);
    row("135 dependency failed",
        block("x.service", "0", "success", "0", "0", "0", "loaded", "inactive", "dead", "static"),
        u"loaded inactive/dead success main ? restarts 0 ended ?/? static"_s);
    row("host 21 not found", block("x.service", "0", "success", "0", "0", "0", "not-found", "inactive", "dead", ""),
        u"not-found inactive/dead success main ? restarts 0 ended ?/? "_s);
    row("host 27 watchdog", block("x.service", "0", "watchdog", "0", "2", "6", "loaded", "failed", "failed", "static"),
        u"loaded failed/failed watchdog main ? restarts 0 ended 2/6 static"_s);
    row("host 29 start timeout",
        block("x.service", "0", "timeout", "0", "2", "15", "loaded", "failed", "failed", "static"),
        u"loaded failed/failed timeout main ? restarts 0 ended 2/15 static"_s);
    row("host 31 protocol", block("x.service", "0", "protocol", "0", "1", "0", "loaded", "failed", "failed", "static"),
        u"loaded failed/failed protocol main ? restarts 0 ended 1/0 static"_s);
    row("host 33 oom", block("x.service", "0", "oom-kill", "0", "2", "9", "loaded", "failed", "failed", "static"),
        u"loaded failed/failed oom-kill main ? restarts 0 ended 2/9 static"_s);
    row("host 35 start-pre failed: 0 is no success",
        block("x.service", "0", "exit-code", "0", "0", "0", "loaded", "failed", "failed", "static"),
        u"loaded failed/failed exit-code main ? restarts 0 ended ?/? static"_s);
    row("host 39 newer sub-state",
        block("x.service", "0", "success", "0", "0", "0", "loaded", "activating", "auto-restart-queued", "static"),
        u"loaded activating/auto-restart-queued success main ? restarts 0 ended ?/? static"_s);
    row("host 41 transient",
        block("x.service", "0", "exit-code", "0", "1", "3", "loaded", "failed", "failed", "transient"),
        u"loaded failed/failed exit-code main ? restarts 0 ended 1/3 transient"_s);
}

void TstSystemctl::unit_everyState()
{
    QFETCH(QByteArray, output);
    QFETCH(QString, expected);
    for (const QByteArray &text :
         {output, '\n' + output + "\n\n", QByteArray(output).replace("\n", "\r\n"), output.chopped(1)}) {
        const UnitBlocks read = parse({u"x.service"_s}, text);
        QCOMPARE(read.units.size(), 1);
        QCOMPARE(brief(read.units.first()), expected);
        QVERIFY(read.unanswered.isEmpty());
    }
}

void TstSystemctl::unit_orderOfPropertiesDoesNotMatter()
{
    QList<QByteArray> lines =
        block("x.service", "173", "success", "2", "0", "0", "loaded", "active", "running", "enabled")
            .trimmed()
            .split('\n');
    std::sort(lines.begin(), lines.end());
    QString first;
    for (int turn = 0; turn < 20; ++turn) {
        std::rotate(lines.begin(), lines.begin() + 3, lines.end());
        const UnitBlocks read = parse({u"x.service"_s}, lines.join('\n'));
        QCOMPARE(read.units.size(), 1);
        first = first.isEmpty() ? brief(read.units.first()) : first;
        QCOMPARE(brief(read.units.first()), first);
    }
}

void TstSystemctl::unit_missingPropertiesAreAbsent()
{
    const UnitBlocks read = parse({u"x.service"_s}, "Id=x.service\nActiveState=active\n");
    const Unit unit = read.units.first();
    QVERIFY(unit.load.isEmpty());
    QVERIFY(!unit.restarts.isKnown()); // systemd before 235 has none
    QCOMPARE(unit.restarts.reason(), UnknownReason::Absent);
    QVERIFY(!unit.mainPid.isKnown());
    QVERIFY(!unit.hostSince.isValid());
    QVERIFY(!unit.needDaemonReload);
}

void TstSystemctl::units_severalInOneCall() // 137
{
    const UnitBlocks read = parse({u"vllm-nope.service"_s, u"vllm-ok.service"_s, u"vllm-exit1.service"_s},
                                  "Id=vllm-ok.service\nLoadState=loaded\nActiveState=active\n\nId=vllm-exit1."
                                  "service\nLoadState=loaded\nActiveState=failed\n\n"
                                  "Id=vllm-nope.service\nLoadState=not-found\nActiveState=inactive\n");
    QCOMPARE(read.units.size(), 3);
    QCOMPARE(read.units.at(0).name, u"vllm-nope.service"_s); // in the order asked for
    QCOMPARE(read.units.at(0).load, u"not-found"_s);
    QCOMPARE(read.units.at(1).active, u"active"_s);
    QCOMPARE(read.units.at(2).active, u"failed"_s);
}

void TstSystemctl::units_askedTwiceAnsweredTwice() // host 45
{
    const UnitBlocks read =
        parse({u"a.service"_s, u"a.service"_s}, "Id=a.service\nActiveState=failed\n\nId=nosuch.service\nActiveState="
                                                "inactive\n\nId=a.service\nActiveState=failed\n");
    QCOMPARE(read.units.size(), 1);
    QVERIFY(read.unanswered.isEmpty());
}

void TstSystemctl::units_answeredUnderAnotherName()
{
    const UnitBlocks alias = parse(
        {u"dbus.service"_s}, "Id=dbus-broker.service\nNames=dbus.service dbus-broker.service\nActiveState=active\n");
    QCOMPARE(alias.units.size(), 1);
    QCOMPARE(alias.units.first().name, u"dbus.service"_s);
    const UnitBlocks escaped =
        parse({u"a b.service"_s, uR"(a\x2db.service)"_s},
              "Id=a\\x20b.service\nActiveState=inactive\n\nId=a\\x2db.service\nActiveState=active\n");
    QCOMPARE(escaped.units.size(), 1); // 141: what systemctl rewrote is another unit
    QCOMPARE(escaped.units.first().name, uR"(a\x2db.service)"_s);
    QCOMPARE(escaped.unanswered, QStringList{u"a b.service"_s});
    QVERIFY(parse({u"a-b.service"_s}, "Id=a\\x2db.service\nActiveState=active\n").units.isEmpty()); // host 57
}

void TstSystemctl::units_oneBadNameCostsAll() // 139, host 47
{
    const UnitBlocks read = parse({u"vllm@.service"_s, u"x.service"_s}, {},
        "Failed to get properties: Unit name vllm@.service is neither a valid invocation ID nor unit name.\n");
    QVERIFY(read.units.isEmpty());
    QCOMPARE(read.unanswered.size(), 2);
    QVERIFY(read.message.startsWith(u"Failed to get properties"_s));
    QVERIFY(!read.noBus);
    QVERIFY(!read.noSystemd);
}

void TstSystemctl::value_withEqualsAndLineFeed() // 143, host 53
{
    const UnitBlocks read = parse({u"x.service"_s}, "Id=x.service\nStatusText=Loading weights: 45% | key=value, "
                                                    "done\nnl2 ; ignore_errors=yes\nActiveState=active\n");
    QCOMPARE(read.units.size(), 1);
    QCOMPARE(read.units.first().statusText, u"Loading weights: 45% | key=value, done\u240anl2 ; ignore_errors=yes"_s);
    QCOMPARE(read.units.first().active, u"active"_s);
}

void TstSystemctl::value_continuationForgesNothing()
{
    const UnitBlocks read =
        parse({u"x.service"_s, u"y.service"_s}, "Id=x.service\nStatusText=a\n\nb\nActiveState=active\nActiveState="
                                                "failed\n\nId=y.service\nActiveState=inactive\nId=x.service\n");
    QCOMPARE(read.units.size(), 2);
    QCOMPARE(read.units.at(0).active, u"active"_s); // said twice: the first stands
    QCOMPARE(read.units.at(1).active, u"inactive"_s);
    const UnitBlocks late =
        parse({u"x.service"_s}, "Id=x.service\nActiveState=active\n\nId=x.service\nActiveState=failed\n");
    QCOMPARE(late.units.first().active, u"active"_s);
}

void TstSystemctl::value_unknownPropertiesArePassedOver()
{
    const UnitBlocks read = parse({u"x.service"_s, u"y.service"_s},
                                  "Description=A = b ; \"q\"\nExecStopPost={ path=/bin/echo ; argv[]=/bin/echo x y "
                                  "nl\nnl2 ; pid=0 }\nId=x.service\nActiveState=active\n\n"
                                  "Description=second\nId=y.service\nActiveState=failed\n");
    QCOMPARE(read.units.size(), 2);
    QCOMPARE(read.units.at(1).active, u"failed"_s);
}

void TstSystemctl::sentinel_isNoFigure_data()
{
    QTest::addColumn<QByteArray>("value");
    for (const char *value : {"[not set]", "[no data]", "infinity", "18446744073709551615", "n/a", "", "-1",
                              "[unprintable]", "4294967296", "(null)"})
        QTest::newRow(*value ? value : "nothing") << QByteArray(value);
}

void TstSystemctl::sentinel_isNoFigure() // host 49
{
    QFETCH(QByteArray, value);
    const UnitBlocks read = parse({u"x.service"_s}, "Id=x.service\nNRestarts=" + value + "\nMainPID=" + value
                                                        + "\nExecMainCode=" + value + "\nExecMainStatus=7\n");
    QVERIFY(!read.units.first().restarts.isKnown());
    QVERIFY(!read.units.first().mainPid.isKnown());
    QVERIFY(!read.units.first().execMainStatus.isKnown());
}

void TstSystemctl::time_everyForm_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("iso");
    const auto row = [](const char *text, const QString &iso) {
        QTest::newRow(*text ? text : "nothing") << QByteArray(text) << iso;
    };
    row("Tue 2026-12-01 21:35:00 UTC", u"2026-12-01T21:35:00.000Z"_s);
    row("Tue 2026-12-01 21:35:00.356290 UTC", u"2026-12-01T21:35:00.356Z"_s);
    row("@1796160900", u"2026-12-01T21:35:00.000Z"_s);
    row("@1796160900.356290", u"2026-12-01T21:35:00.356Z"_s);
    row("", {});
    row("n/a", {});
    row("0", {});
    row("@0", {});
    row("@99999999999999999999", {});
    row("Wed 2026-12-02 03:04:51 IST", {}); // 145: whose IST?
    row("Wed 2026-12-02 11:20:00 +1345", {});
    row("Tue 2026-13-01 21:35:00 UTC", {});
    row("Tue 2026-12-01 25:35:00 UTC", {});
    row("Tue 2026-12-01 21:35:00.35 UTC", {});
    row("2026-12-01 21:35:00 UTC", {});
    row("1d 38min 16.585711s", {});
}

void TstSystemctl::time_everyForm()
{
    QFETCH(QByteArray, text);
    QFETCH(QString, iso);
    const QDateTime time = parseSystemdTime(text);
    QCOMPARE(time.isValid() ? time.toString(Qt::ISODateWithMs) : QString(), iso);
}

void TstSystemctl::since_followsTheState()
{
    const QByteArray stamps =
        "ActiveEnterTimestamp=@1796160001\nInactiveEnterTimestamp=@1796160002\nInactiveExitTimestamp=@1796160003\n"
        "ActiveExitTimestamp=@1796160004\nStateChangeTimestamp=@1796160005\n";
    const auto since = [&](const char *state) {
        return parse({u"x.service"_s}, QByteArray("Id=x.service\nActiveState=") + state + '\n' + stamps)
                   .units.first()
                   .hostSince.toSecsSinceEpoch()
               - 1'796'160'000;
    };
    QCOMPARE(since("active"), 1);
    QCOMPARE(since("inactive"), 2);
    QCOMPARE(since("failed"), 2);
    QCOMPARE(since("activating"), 3);
    QCOMPARE(since("deactivating"), 4);
    QCOMPARE(since("maintenance"), 5);
    QCOMPARE(parse({u"x.service"_s},
                   "Id=x.service\nActiveState=active\nActiveEnterTimestamp=\nStateChangeTimestamp=@1796160005\n")
                 .units.first()
                 .hostSince.toSecsSinceEpoch(),
             1'796'160'005);
}

void TstSystemctl::since_fromTheMonotonicClock()
{
    const HostClock clock{QDateTime(QDate(2026, 12, 1), QTime(12, 0), Qt::UTC), 1000};
    const auto since = [&](const QByteArray &microseconds) {
        return parseUnits({u"x.service"_s},
                          "Id=x.service\nActiveState=active\nActiveEnterTimestamp=Wed 2026-12-02 03:04:51 "
                          "IST\nActiveEnterTimestampMonotonic="
                              + microseconds + '\n',
                          {}, clock, true)
            .units.first();
    };
    QCOMPARE(since("940000000").hostSince, clock.now.addSecs(-60));
    QVERIFY(since("940000000").user);
    QVERIFY(!since("0").hostSince.isValid());
    QVERIFY(!since("1000000001").hostSince.isValid()); // ahead of the clock
    QVERIFY(!since("18446744073709551615").hostSince.isValid());
    QVERIFY(!parse({u"x.service"_s}, "Id=x.service\nActiveState=active\nActiveEnterTimestampMonotonic=940000000\n")
                 .units.first()
                 .hostSince.isValid());
}

void TstSystemctl::failure_busAndNoSystemd_data() // 147, host 59
{
    QTest::addColumn<QByteArray>("errors");
    QTest::addColumn<bool>("bus");
    QTest::addColumn<bool>("absent");
    const auto row = [](const char *text, bool bus, bool absent) {
        QTest::newRow(text) << QByteArray(text) << bus << absent;
    };
    row("Failed to connect to bus: No medium found", true, false);
    row("Failed to connect to bus: No such file or directory", true, false);
    row("Failed to connect to bus: Permission denied", true, false);
    row("Failed to connect to bus: $DBUS_SESSION_BUS_ADDRESS and $XDG_RUNTIME_DIR not defined (consider using "
        "--machine=<user>@.host --user to connect to bus of other user)",
        true, false);
    row("Failed to connect to user scope bus via local transport: No such device or address", true, false);
    row("Failed to connect to system scope bus via local transport: Operation not permitted (consider using …)", true,
        false);
    row("System has not been booted with systemd as init system (PID 1). Can't operate.", false, true);
    row("sh: 12: systemctl: not found", false, true);
    row("/bin/sh: 81: systemctl: Permission denied", false, true);
    row("something else", false, false);
}

void TstSystemctl::failure_busAndNoSystemd()
{
    QFETCH(QByteArray, errors);
    const UnitBlocks read = parse({u"x.service"_s}, {}, errors + '\n');
    QTEST(read.noBus, "bus");
    QTEST(read.noSystemd, "absent");
    QCOMPARE(read.message.isEmpty(), !read.noBus && !read.noSystemd);
    QCOMPARE(read.unanswered, QStringList{u"x.service"_s});
    QTEST(parse({u"x.service"_s}, errors).noBus, "bus"); // some print it on standard output
}

void TstSystemctl::output_truncatedAnywhere()
{
    const QByteArray whole =
        block("a.service", "173", "success", "0", "0", "0", "loaded", "active", "running", "enabled") + '\n'
        + block("b.service", "0", "exit-code", "0", "1", "1", "loaded", "failed", "failed", "static");
    for (qsizetype cut = 0; cut <= whole.size(); ++cut) {
        const UnitBlocks read = parse({u"a.service"_s, u"b.service"_s}, whole.first(cut));
        QCOMPARE(read.units.size() + read.unanswered.size(), 2);
    }
}

void TstSystemctl::properties_noSecrets()
{
    const QStringList names = unitProperties();
    QVERIFY(names.contains(u"Id"_s));
    QVERIFY(names.contains(u"Names"_s));
    QVERIFY(!names.contains(u"Environment"_s));
    QVERIFY(!names.contains(u"ExecStart"_s));
}

PILOTHOUSE_TEST_MAIN(TstSystemctl)
#include "tst_systemctl.moc"

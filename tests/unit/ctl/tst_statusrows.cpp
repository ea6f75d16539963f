// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The lines of `status`, and the exit code of several.
#include "app/ctl/statusrows.h"
#include "tests/support/testmain.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

ServiceSpec kimi()
{
    ServiceSpec service;
    service.name = u"kimi"_s;
    service.unit = u"vllm.service"_s;
    return service;
}

Snapshot snapshotWith(const QString &active, const QString &sub)
{
    Unit unit;
    unit.name = u"vllm.service"_s;
    unit.load = u"loaded"_s;
    unit.active = active;
    unit.sub = sub;
    unit.hostSince = QDateTime(QDate(2026, 12, 1), QTime(9, 30), Qt::UTC);
    Gpu gpu;
    gpu.index = 0;
    gpu.attributedMib = 0;
    Snapshot snapshot;
    snapshot.gpus = QList<Gpu>{gpu};
    snapshot.processes = QList<Process>();
    snapshot.units = QList<Unit>{unit};
    return snapshot;
}

/// A family of one process with `mib` on GPU 0.
void addFamily(Snapshot &snapshot, Diagnosis &diagnosis, Verdict verdict, const QString &unit, Quantity<qint64> mib)
{
    const Pid pid{100 + snapshot.processes->size()};
    Process process;
    process.pid = pid;
    ProcessGpuMemory memory;
    memory.gpu = 0;
    memory.mib = mib;
    process.gpuMemory = {memory};
    *snapshot.processes += process;
    Family family;
    family.id = QString::number(pid.value);
    family.members = {pid};
    family.unit = unit;
    family.verdict = verdict;
    family.gpus = {0};
    diagnosis.families += family;
}

HostSpec hostWith(const QList<ServiceSpec> &services)
{
    HostSpec host;
    host.name = u"gpu1"_s;
    host.services = services;
    return host;
}

QJsonObject jsonOf(const StatusRow &row)
{
    const QJsonDocument document = QJsonDocument::fromJson(statusJson({row}).toUtf8());
    return document.object().value(u"services"_s).toArray().at(0).toObject();
}

} // namespace

class TstStatusRows final : public QObject
{
    Q_OBJECT
private slots:
    void worst_ofTwo_data();
    void worst_ofTwo();
    void unit_decidesTheCode_data();
    void unit_decidesTheCode();
    void json_unknownIsNullWithItsReason();
    void noUnits_isWhatTheHostLacks();
    void noGpuData_isWhatTheHostLacks();
    void noService_isALineOfTheHost();
    void leftovers_areTold_data();
    void leftovers_areTold();
    void leftoversOfNoService_haveTheirLine();
    void youngOrphan_isNotCalledNone();
    void holdersUnknown_leftoversUnknown();
    void fault_isSaidAndChangesNoCode();
    void table_hasADashForTheUnknown();
};

void TstStatusRows::worst_ofTwo_data()
{
    QTest::addColumn<int>("better");
    QTest::addColumn<int>("worse");
    const QList<int> order{0, 1, 6, 4, 5, 3, 8};
    for (int i = 0; i < order.size(); ++i) {
        for (int j = i; j < order.size(); ++j)
            QTest::addRow("%d %d", order.at(i), order.at(j)) << order.at(i) << order.at(j);
    }
}

void TstStatusRows::worst_ofTwo()
{
    QFETCH(const int, better);
    QFETCH(const int, worse);
    QCOMPARE(worstOf(better, worse), worse);
    QCOMPARE(worstOf(worse, better), worse);
}

void TstStatusRows::unit_decidesTheCode_data()
{
    QTest::addColumn<QString>("active");
    QTest::addColumn<QString>("sub");
    QTest::addColumn<QString>("state");
    QTest::addColumn<int>("code");
    const auto row = [](const QString &active, const QString &sub, const QString &state, int code) {
        QTest::newRow(qPrintable(active)) << active << sub << state << code;
    };
    row(u"active"_s, u"running"_s, u"running"_s, 0);
    row(u"reloading"_s, u"reload"_s, u"reloading (reload)"_s, 0);
    row(u"activating"_s, u"start"_s, u"starting"_s, 1);
    row(u"deactivating"_s, u"stop-sigterm"_s, u"stopping"_s, 1);
    row(u"inactive"_s, u"dead"_s, u"stopped"_s, 1);
    row(u"failed"_s, u"failed"_s, u"failed"_s, 1);
}

void TstStatusRows::unit_decidesTheCode()
{
    QFETCH(const QString, active);
    QFETCH(const QString, sub);
    const QList<StatusRow> rows = statusRows(u"gpu1"_s, {kimi()}, false, snapshotWith(active, sub));
    QCOMPARE(rows.size(), 1);
    QTEST(rows.first().state, "state");
    QTEST(rows.first().exitCode, "code");
}

void TstStatusRows::json_unknownIsNullWithItsReason()
{
    const auto rows = statusRows(u"gpu1"_s, {kimi()}, true, snapshotWith(u"active"_s, u"running"_s));
    const QJsonObject json = jsonOf(rows.first());
    QCOMPARE(json.value(u"host"_s).toString(), u"gpu1"_s);
    QCOMPARE(json.value(u"service"_s).toString(), u"kimi"_s);
    QCOMPARE(json.value(u"unit"_s).toString(), u"vllm.service"_s);
    QCOMPARE(json.value(u"found"_s).toBool(), true);
    QCOMPARE(json.value(u"host_since"_s).toString(), u"2026-12-01T09:30:00.000Z"_s);
    QCOMPARE(json.value(u"memory_mib"_s), QJsonValue(0));
    QVERIFY(json.value(u"leftovers_mib"_s).isNull());
    QCOMPARE(json.value(u"unknown"_s).toObject(), QJsonObject({{u"leftovers_mib"_s, u"absent"_s}}));
    QVERIFY(json.value(u"error"_s).isNull());
}

void TstStatusRows::noUnits_isWhatTheHostLacks()
{
    Snapshot snapshot = snapshotWith(u"active"_s, u"running"_s);
    snapshot.units.reset();
    snapshot.unknown.insert(u"units"_s, UnknownReason::Absent);
    const auto rows = statusRows(u"gpu1"_s, {kimi()}, false, snapshot);
    QCOMPARE(rows.first().exitCode, 6);
    QCOMPARE(rows.first().state, u"unknown"_s);
    QVERIFY(rows.first().text.contains(u"no systemd"));
    QVERIFY(jsonOf(rows.first()).value(u"active"_s).isNull());
}

void TstStatusRows::noGpuData_isWhatTheHostLacks()
{
    Snapshot snapshot = snapshotWith(u"inactive"_s, u"dead"_s);
    snapshot.gpus.reset();
    snapshot.unknown.insert(u"gpus"_s, UnknownReason::Failed);
    const auto rows = statusRows(u"gpu1"_s, {kimi()}, false, snapshot);
    QCOMPARE(rows.first().exitCode, 6);
    QCOMPARE(rows.first().state, u"stopped"_s); // what could be read is said all the same
    QVERIFY(rows.first().text.contains(u"GPU data is missing"));
    QCOMPARE(jsonOf(rows.first()).value(u"unknown"_s)[u"memory_mib"].toString(), u"failed"_s);
}

void TstStatusRows::noService_isALineOfTheHost()
{
    const auto rows = statusRows(u"gpu1"_s, {}, true, snapshotWith(u"active"_s, u"running"_s));
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows.first().exitCode, 0);
    QCOMPARE(rows.first().state, u"no service found"_s);
    const QJsonObject json = jsonOf(rows.first());
    QVERIFY(json.value(u"service"_s).isNull());
    QVERIFY(json.value(u"scope"_s).isNull());
    QVERIFY(json.value(u"memory_mib"_s).isNull());
}

void TstStatusRows::leftovers_areTold_data()
{
    QTest::addColumn<Verdict>("verdict");
    QTest::addColumn<QString>("unit");
    QTest::addColumn<qint64>("told");
    QTest::newRow("its own leftover") << Verdict::Leftover << u"vllm.service"_s << qint64(900);
    QTest::newRow("its own, stuck") << Verdict::Stuck << u"vllm.service"_s << qint64(900);
    QTest::newRow("its own, serving") << Verdict::Serving << u"vllm.service"_s << qint64(0);
    QTest::newRow("in use") << Verdict::InUse << QString() << qint64(0);
    QTest::newRow("in its way") << Verdict::Leftover << QString() << qint64(900);
}

void TstStatusRows::leftovers_areTold()
{
    QFETCH(const Verdict, verdict);
    QFETCH(const QString, unit);
    Snapshot snapshot = snapshotWith(u"inactive"_s, u"dead"_s);
    Diagnosis diagnosis;
    addFamily(snapshot, diagnosis, verdict, unit, 900);
    ServiceSpec service = kimi();
    service.gpus = {u"0"_s};
    QList<StatusRow> rows = statusRows(u"gpu1"_s, {service}, false, snapshot);
    tellLeftovers(rows, hostWith({service}), snapshot, diagnosis);
    QCOMPARE(rows.size(), 1);
    QVERIFY(rows.first().leftoversMib.isKnown());
    QTEST(rows.first().leftoversMib.value(), "told");
    QCOMPARE(rows.first().exitCode, 1);
    QCOMPARE(rows.first().text, QString());
}

void TstStatusRows::leftoversOfNoService_haveTheirLine()
{
    Snapshot snapshot = snapshotWith(u"active"_s, u"running"_s);
    Diagnosis diagnosis;
    addFamily(snapshot, diagnosis, Verdict::Leftover, u"other.service"_s, 900);
    QList<StatusRow> rows = statusRows(u"gpu1"_s, {kimi()}, false, snapshot);
    tellLeftovers(rows, hostWith({kimi()}), snapshot, diagnosis);
    QCOMPARE(rows.size(), 2);
    QCOMPARE(rows.at(0).leftoversMib, Quantity<qint64>(0));
    QVERIFY(!rows.at(1).service);
    QCOMPARE(rows.at(1).state, u"leftovers of no service"_s);
    QCOMPARE(rows.at(1).leftoversMib, Quantity<qint64>(900));
    // The line of a host without services takes them all.
    rows = statusRows(u"gpu1"_s, {}, true, snapshot);
    tellLeftovers(rows, hostWith({}), snapshot, diagnosis);
    QCOMPARE(rows.size(), 1);
    QCOMPARE(rows.at(0).leftoversMib, Quantity<qint64>(900));
}

void TstStatusRows::youngOrphan_isNotCalledNone()
{
    Snapshot snapshot = snapshotWith(u"inactive"_s, u"dead"_s);
    Diagnosis diagnosis;
    addFamily(snapshot, diagnosis, Verdict::Starting, QString(), 900);
    QList<StatusRow> rows = statusRows(u"gpu1"_s, {kimi()}, false, snapshot);
    tellLeftovers(rows, hostWith({kimi()}), snapshot, diagnosis); // a server that loads, and somebody's child
    QCOMPARE(rows.first().leftoversMib, Quantity<qint64>(0));
    diagnosis.families.first().modifiers = {u"ORPHAN"_s};
    tellLeftovers(rows, hostWith({kimi()}), snapshot, diagnosis);
    QVERIFY(!rows.first().leftoversMib.isKnown());
    QVERIFY2(rows.first().text.contains(u"so young that it may be loading"), qPrintable(rows.first().text));
    // Two services of a host say the same, which is printed once; without GPU data there is more to say than that.
    rows = statusRows(u"gpu1"_s, {kimi(), kimi()}, false, snapshot);
    tellLeftovers(rows, hostWith({kimi()}), snapshot, diagnosis);
    QCOMPARE(rows.at(0).text, rows.at(1).text);
    snapshot.gpus.reset();
    rows = statusRows(u"gpu1"_s, {kimi()}, false, snapshot);
    tellLeftovers(rows, hostWith({kimi()}), snapshot, diagnosis);
    QVERIFY2(!rows.first().text.contains(u"young"), qPrintable(rows.first().text));
}

void TstStatusRows::holdersUnknown_leftoversUnknown()
{
    Snapshot snapshot = snapshotWith(u"inactive"_s, u"dead"_s);
    Diagnosis diagnosis;
    addFamily(snapshot, diagnosis, Verdict::Leftover, u"vllm.service"_s, Quantity<qint64>::unknown(UnknownReason::NotSupported));
    QList<StatusRow> rows = statusRows(u"gpu1"_s, {kimi()}, false, snapshot);
    tellLeftovers(rows, hostWith({kimi()}), snapshot, diagnosis);
    QCOMPARE(rows.first().leftoversMib.reason(), UnknownReason::NotSupported);
    snapshot.processes.reset();
    tellLeftovers(rows, hostWith({kimi()}), snapshot, diagnosis);
    QVERIFY(!rows.first().leftoversMib.isKnown());
}

void TstStatusRows::fault_isSaidAndChangesNoCode()
{
    Snapshot snapshot;
    snapshot.gpus = QList<Gpu>{Gpu()};
    snapshot.processes = QList<Process>();
    Problem fault;
    fault.code = u"gpu.reset_required"_s;
    fault.severity = Problem::Severity::Critical;
    fault.text = u"GPU 3 reports a fault: GPU requires reset."_s;
    Problem notice;
    notice.text = u"Nothing to worry about."_s;
    snapshot.problems = {notice, fault};
    const StatusRow row = statusRows(u"gpu1"_s, {}, true, snapshot).first();
    QCOMPARE(row.text, fault.text);
    QCOMPARE(row.exitCode, 0);
    snapshot.gpus.reset(); // then the one sentence about the missing data is enough
    QVERIFY(!statusRows(u"gpu1"_s, {}, true, snapshot).first().text.contains(u"fault"_s));
}

void TstStatusRows::table_hasADashForTheUnknown()
{
    const auto rows = statusRows(u"gpu1"_s, {kimi()}, false, snapshotWith(u"active"_s, u"running"_s))
        + QList<StatusRow>{statusRow(u"dead"_s, Error{ErrorCode::ConnectRefused, {}, {}})};
    const QStringList lines = statusText(rows, Output(ColorMode::Never)).split(u'\n');
    QCOMPARE(lines.at(0).simplified(), u"HOST SERVICE STATE SINCE MEMORY MIB LEFTOVERS MIB"_s);
    QCOMPARE(lines.at(1).simplified(), u"gpu1 kimi running 2026-12-01 09:30 0 –"_s);
    QVERIFY2(lines.at(2).startsWith(u"dead  –  "), qPrintable(lines.at(2)));
    QVERIFY(lines.at(2).endsWith(u"–"));
    QCOMPARE(rows.at(1).exitCode, 3);
}

PILOTHOUSE_TEST_MAIN(TstStatusRows)
#include "tst_statusrows.moc"

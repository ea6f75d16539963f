// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/diagnosisjson.h"
#include "core/host/snapshotjson.h"
#include "tests/support/testmain.h"
#include "tests/unit/diagnosis/casefile.h"

#include <QFile>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

/// The "holders" document of the outside contract.
class TstDiagnosisJson final : public QObject
{
    Q_OBJECT
private slots:
    void processes_haveTheirVerdict();
    void families_areEndedOrLeftWhole();
    void hostVerdict_hasFiguresAndTime();
    void unknownFigures_areNullWithAReason();
    void missingProcesses_stayMissing();
    void everyWordIsTheContracts();

private:
    [[nodiscard]] static QJsonObject documentOf(const QString &name)
    {
        QFile file(QStringLiteral(PILOTHOUSE_TEST_DATA "/cases/") + name);
        if (!file.open(QIODevice::ReadOnly))
            return {};
        const Case one = parseCase(file.readAll());
        return withDiagnosis(toJson(one.now), diagnosed(one, false));
    }
    [[nodiscard]] static QJsonObject processOf(const QJsonObject &document, qint64 pid)
    {
        for (const QJsonValue &process : document.value(u"processes"_s).toArray()) {
            if (process[u"pid"].toInteger() == pid)
                return process.toObject();
        }
        return {};
    }
};

void TstDiagnosisJson::processes_haveTheirVerdict()
{
    const QJsonObject document = documentOf(u"founding.case"_s);
    const QJsonObject worker = processOf(document, 4242);
    QCOMPARE(worker.value(u"role"_s).toString(), u"vllm.worker"_s);
    QCOMPARE(worker.value(u"verdict"_s).toString(), u"leftover"_s);
    QCOMPARE(worker.value(u"action"_s).toString(), u"terminate"_s);
    QVERIFY(worker.value(u"evidence"_s).toArray().size() >= 1);
    QVERIFY(worker.value(u"evidence"_s).toArray().at(0).isString());
    QCOMPARE(worker.value(u"comm"_s).toString().left(6), u"VLLM::"_s); // the snapshot's fields stay
    const QJsonObject tracker = processOf(document, 4231);
    QCOMPARE(tracker.value(u"verdict"_s).toString(), u"helper"_s);
    QCOMPARE(tracker.value(u"action"_s).toString(), u"none"_s);
    QCOMPARE(tracker.value(u"family"_s), worker.value(u"family"_s));
    QVERIFY(processOf(document, 300).value(u"family"_s).isNull());
}

void TstDiagnosisJson::families_areEndedOrLeftWhole()
{
    const QJsonArray families = documentOf(u"founding.case"_s).value(u"families"_s).toArray();
    QCOMPARE(families.size(), 1);
    const QJsonObject family = families.at(0).toObject();
    for (const char *field : {"id", "head", "members", "service", "verdict", "story"})
        QVERIFY2(family.contains(QLatin1StringView(field)), field);
    QCOMPARE(family.value(u"head"_s).toInteger(), 4240);
    QCOMPARE(family.value(u"members"_s).toArray().size(), 10);
    QCOMPARE(family.value(u"service"_s).toString(), u"kimi"_s);
    QCOMPARE(family.value(u"verdict"_s).toString(), u"leftover"_s);
    const QJsonObject line = family.value(u"story"_s).toArray().at(0).toObject();
    QVERIFY(line.contains(u"at"_s) && line.value(u"text"_s).isString());
}

void TstDiagnosisJson::hostVerdict_hasFiguresAndTime()
{
    const QJsonObject verdict = documentOf(u"founding.case"_s).value(u"verdict"_s).toObject();
    QCOMPARE(verdict.value(u"state"_s).toString(), u"leftover"_s);
    QCOMPARE(verdict.value(u"held_mib"_s).toInteger(), 772920);
    QCOMPARE(verdict.value(u"reclaimable_mib"_s).toInteger(), 772920);
    QVERIFY(verdict.contains(u"since"_s));
    QVERIFY(verdict.value(u"text"_s).toString().contains(u"754.8 GiB"_s));
    const QJsonArray holdings = documentOf(u"founding.case"_s).value(u"holdings"_s).toArray();
    QCOMPARE(holdings.size(), 8);
    QCOMPARE(holdings.at(3)[u"held_mib"].toInteger(), 96615);
}

void TstDiagnosisJson::unknownFigures_areNullWithAReason()
{
    HostVerdict verdict;
    verdict.heldMib = Quantity<qint64>::unknown(UnknownReason::NoPermission);
    verdict.reclaimableMib = 0;
    const QJsonObject json = toJson(verdict);
    QVERIFY(json.value(u"held_mib"_s).isNull());
    QCOMPARE(json.value(u"unknown"_s).toObject().value(u"held_mib"_s).toString(), u"no_permission"_s);
    QCOMPARE(json.value(u"reclaimable_mib"_s).toInteger(-1), 0);
    QVERIFY(json.value(u"since"_s).isNull());
    Family family;
    QVERIFY(toJson(family).value(u"head"_s).isNull());
    QVERIFY(toJson(family).value(u"service"_s).isNull());
}

void TstDiagnosisJson::missingProcesses_stayMissing()
{
    Snapshot snapshot;
    const QJsonObject document = withDiagnosis(toJson(snapshot), Diagnosis());
    QVERIFY(document.value(u"processes"_s).isNull());
    QVERIFY(document.value(u"unknown"_s).toObject().contains(u"processes"_s));
    QCOMPARE(document.value(u"verdict"_s).toObject().value(u"state"_s).toString(), u"unknown"_s);
}

void TstDiagnosisJson::everyWordIsTheContracts()
{
    const QStringList verdicts{u"unknown"_s, u"serving"_s, u"starting"_s, u"in_use"_s, u"leftover"_s, u"foreign"_s,
                               u"helper"_s, u"infrastructure"_s, u"exiting"_s, u"stuck"_s, u"gone"_s};
    for (qsizetype at = 0; at < verdicts.size(); ++at)
        QCOMPARE(nameOf(Verdict(at)), verdicts.at(at));
    const QStringList actions{u"none"_s, u"terminate"_s, u"kill"_s, u"stop_unit"_s, u"stop_container"_s, u"ask_owner"_s,
                              u"wait"_s, u"reboot"_s};
    for (qsizetype at = 0; at < actions.size(); ++at)
        QCOMPARE(nameOf(ProposedAction(at)), actions.at(at));
    const QStringList states{u"stuck"_s, u"leftover"_s, u"releasing"_s, u"starting"_s, u"serving"_s, u"busy"_s, u"free"_s,
                             u"unknown"_s};
    for (qsizetype at = 0; at < states.size(); ++at)
        QCOMPARE(nameOf(HostState(at)), states.at(at));
}

PILOTHOUSE_TEST_MAIN(TstDiagnosisJson)
#include "tst_diagnosisjson.moc"

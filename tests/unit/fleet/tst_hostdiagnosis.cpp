// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/hostdiagnosis.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

/// What the inventory and the connection know for a diagnosis.
class TstHostDiagnosis final : public QObject
{
    Q_OBJECT
private slots:
    void rights_areTheLogins();
    void services_haveTheirCardsAsIndices();
    void ports_ofFamiliesAreAsked();
    void answers_areReadCarefully();
    void unit_isItsOwnAndWhatIsInItsWay();

private:
    [[nodiscard]] static Snapshot twoCards()
    {
        Snapshot snapshot;
        Gpu first;
        first.index = 0;
        first.uuid = u"GPU-a"_s;
        Gpu second;
        second.index = 1;
        second.uuid = u"GPU-b"_s;
        snapshot.gpus = QList<Gpu>{first, second};
        snapshot.processes = QList<Process>();
        return snapshot;
    }
};

void TstHostDiagnosis::rights_areTheLogins()
{
    Snapshot snapshot;
    snapshot.target = u"ops@corp@[fe80::1]:22"_s;
    QCOMPARE(rightsOf(snapshot).user, u"ops@corp"_s);
    QVERIFY(!rightsOf(snapshot).everything && !rightsOf(snapshot).uid.isKnown());
    snapshot.target = u"root@10.0.0.5:22"_s;
    snapshot.system.root = true;
    QVERIFY(rightsOf(snapshot).everything);
    QCOMPARE(rightsOf(snapshot).uid.valueOr(-1), 0);
    snapshot.target = u"gpu1"_s; // nobody knows yet
    QVERIFY(rightsOf(snapshot).user.isEmpty());
}

void TstHostDiagnosis::services_haveTheirCardsAsIndices()
{
    HostSpec host;
    ServiceSpec service;
    service.unit = u"vllm"_s;
    service.gpus = {u"1"_s, u"GPU-a"_s, u"7"_s};
    host.services = {service};
    const QList<WatchedService> watched = watchedServices(host, twoCards());
    QCOMPARE(watched.size(), 1);
    QCOMPARE(watched.first().unit, u"vllm.service"_s);
    QCOMPARE(watched.first().name, u"vllm.service"_s);
    QCOMPARE(watched.first().gpus, (QList<int>{0, 1}));
}

void TstHostDiagnosis::ports_ofFamiliesAreAsked()
{
    Snapshot snapshot;
    snapshot.listening = QList<ListeningPort>{{u"0.0.0.0"_s, 8000, qint64(40)},
                                              {u"::"_s, 8000, qint64(40)},
                                              {u"::1"_s, 29500, qint64(42)},
                                              {u"0.0.0.0"_s, 22, qint64(1)},
                                              {u"10.0.0.5"_s, 9000, Quantity<qint64>()}};
    Diagnosis diagnosis;
    Family family;
    family.members = {Pid{40}, Pid{42}};
    diagnosis.families = {family};
    const auto ports = portsToAsk(snapshot, diagnosis);
    QCOMPARE(ports, (QList<std::pair<QString, quint16>>{{u"127.0.0.1"_s, 8000}, {u"::1"_s, 29500}}));
}

void TstHostDiagnosis::answers_areReadCarefully()
{
    const auto answers = answersOf({{1, {200, 0}},
                                    {2, {503, 0}},
                                    {3, {404, 401}},
                                    {4, {404, 404}},
                                    {5, {0, 0}},
                                    {6, {std::nullopt, std::nullopt}},
                                    {7, {403, 0}},
                                    {8, {500, 0}}});
    QCOMPARE(answers.value(1), PortAnswer::Answers);
    QCOMPARE(answers.value(2), PortAnswer::Silent);
    QCOMPARE(answers.value(3), PortAnswer::Answers);
    QVERIFY(!answers.contains(4)); // it speaks HTTP: a doubt
    QCOMPARE(answers.value(5), PortAnswer::Silent);
    QVERIFY(!answers.contains(6)); // nobody could ask
    QCOMPARE(answers.value(7), PortAnswer::Answers);
    QVERIFY(!answers.contains(8));
}

void TstHostDiagnosis::unit_isItsOwnAndWhatIsInItsWay()
{
    const QString unit = u"vllm.service"_s;
    HostSpec host;
    ServiceSpec service;
    service.unit = unit;
    service.gpus = {u"1"_s};
    host.services = {service};
    Family family;
    family.unit = unit;
    QVERIFY(concernsUnit(family, unit, host, twoCards()));
    family.unit.clear();
    family.gpus = {1};
    family.verdict = Verdict::InUse;
    QVERIFY(!concernsUnit(family, unit, host, twoCards())); // a neighbour at work is in nobody's way
    family.verdict = Verdict::Leftover;
    QVERIFY(concernsUnit(family, unit, host, twoCards()));
    family.gpus = {0};
    QVERIFY(!concernsUnit(family, unit, host, twoCards()));
    // Or on a card where the unit's own processes are.
    Snapshot snapshot = twoCards();
    Process process;
    process.owner = {Owner::Kind::Unit, unit};
    process.gpuMemory = {ProcessGpuMemory{0, u"GPU-a"_s, qint64(100)}};
    snapshot.processes = QList<Process>{process};
    QVERIFY(concernsUnit(family, unit, host, snapshot));
}

PILOTHOUSE_TEST_MAIN(TstHostDiagnosis)
#include "tst_hostdiagnosis.moc"

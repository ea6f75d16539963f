// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/parse/smimig.h"
#include "tests/support/testmain.h"
#include "tests/unit/probe/parse/fixtures.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

QString brief(const MigDevice &device)
{
    const auto shown = [](const auto &q) { return q.isKnown() ? QString::number(q.value()) : nameOf(q.reason()); };
    return QString::number(device.index) + u" GI "_s + shown(device.gpuInstance) + u" CI "_s
           + shown(device.computeInstance) + u' ' + shown(device.memoryUsedMib) + u'/' + shown(device.memoryTotalMib)
           + u" free "_s + shown(device.memoryFreeMib);
}

QStringList briefs(const SmiMig &mig, const QString &busId)
{
    QStringList texts;
    for (const MigDevice &device : mig.byBusId.value(busId))
        texts += brief(device);
    return texts;
}

} // namespace

class TstSmiMig final : public QObject
{
    Q_OBJECT
private slots:
    void devices_ofARealCard();
    void devices_081();
    void devices_ofTwoCards();
    void uuids_ofTheList();
    void memory_ofTheCardIsNotTheSlices();
    void words_insteadOfFigures();
    void text_truncatedEverywhere();
    void text_withoutAHeading();
};

void TstSmiMig::devices_ofARealCard()
{
    const SmiMig mig = parseSmiMig(test::fixture(u"smi/h200-mig-590.48.01.q.txt"_s));
    QCOMPARE(mig.byBusId.size(), 1);
    QCOMPARE(briefs(mig, u"0000:83:00.0"_s),
             (QStringList{u"0 GI 2 CI 0 16925/71424 free 54499"_s, u"1 GI 2 CI 1 16925/71424 free 54499"_s,
                          u"2 GI 3 CI 0 17/33280 free 33264"_s, u"3 GI 9 CI 0 9/16384 free 16376"_s,
                          u"4 GI 10 CI 0 9/16384 free 16376"_s}));
}

void TstSmiMig::devices_081()
{
    const SmiMig mig = parseSmiMig("GPU 00000000:01:00.0\n"
                                   "    MIG Device\n"
                                   "        Index                                          : 0\n"
                                   "        GPU Instance ID                                : 2\n"
                                   "        Compute Instance ID                            : 0\n"
                                   "        Shared FB Memory Usage\n"
                                   "            Total                                      : 40448 MiB\n"
                                   "            Reserved                                   : 0 MiB\n"
                                   "            Used                                       : 11091 MiB\n"
                                   "            Free                                       : 29357 MiB\n");
    QCOMPARE(briefs(mig, u"0000:01:00.0"_s), QStringList{u"0 GI 2 CI 0 11091/40448 free 29357"_s});
}

void TstSmiMig::devices_ofTwoCards()
{
    const QByteArray device = "    MIG Device\n        Index : 0\n        GPU Instance ID : 3\n";
    const SmiMig mig =
        parseSmiMig("GPU 00000000:01:00.0\n" + device
                    + "GPU 00000000:02:00.0\n    MIG Mode\n        Current : Enabled\n" + device + device);
    QCOMPARE(mig.byBusId.value(u"0000:01:00.0"_s).size(), 1);
    QCOMPARE(mig.byBusId.value(u"0000:02:00.0"_s).size(), 2);
    QCOMPARE(mig.byBusId.value(u"0000:02:00.0"_s).first().gpuInstance, Quantity<int>(3));
}

void TstSmiMig::uuids_ofTheList()
{
    const SmiMig mig = parseSmiMig(test::fixture(u"smi/h200-mig-590.48.01.list.txt"_s));
    const QStringList uuids = mig.uuidsByGpu.value(u"GPU-00000000-0000-0000-0000-000000000000"_s);
    QCOMPARE(uuids.size(), 5);
    QCOMPARE(uuids.at(0), u"MIG-00000000-0000-0000-0000-000000000000"_s);
    QCOMPARE(uuids.at(4), u"MIG-00000004-0000-0000-0000-000000000004"_s);
    QVERIFY(mig.byBusId.isEmpty());
}

void TstSmiMig::memory_ofTheCardIsNotTheSlices()
{
    const SmiMig mig = parseSmiMig(
        "GPU 00000000:01:00.0\n    MIG Device\n        Index : 1\n        Shared BAR1 Memory\n"
        "            Total : 9 MiB\n    FB Memory Usage\n        Total : 81559 MiB\n        Used : 5 MiB\n");
    QCOMPARE(briefs(mig, u"0000:01:00.0"_s), QStringList{u"1 GI absent CI absent absent/absent free absent"_s});
}

void TstSmiMig::words_insteadOfFigures()
{
    const SmiMig mig = parseSmiMig(
        "GPU 00000000:01:00.0\n    MIG Device\n        Index : 0\n        GPU Instance ID : N/A\n"
        "        Shared FB Memory Usage\n            Total : N/A\n            Used : Insufficient Permissions\n"
        "            Free : 5 GiB\n");
    QCOMPARE(briefs(mig, u"0000:01:00.0"_s),
             QStringList{u"0 GI not_supported CI absent no_permission/not_supported free unparsable"_s});
}

void TstSmiMig::text_truncatedEverywhere()
{
    const QByteArray whole = test::fixture(u"smi/h200-mig-590.48.01.q.txt"_s);
    for (qsizetype cut = 0; cut < whole.size(); cut += 37) {
        const SmiMig mig = parseSmiMig(whole.first(cut));
        QVERIFY(mig.byBusId.size() <= 1);
        QVERIFY(briefs(mig, u"0000:83:00.0"_s).size() <= 5);
    }
}

void TstSmiMig::text_withoutAHeading()
{
    QVERIFY(parseSmiMig("    MIG Device\n        Index : 0\n").byBusId.isEmpty());
    QVERIFY(parseSmiMig("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n")
                .byBusId.isEmpty());
    QVERIFY(parseSmiMig("  MIG 1g.18gb     Device  4: (UUID: MIG-x)\n").uuidsByGpu.isEmpty());
    QVERIFY(parseSmiMig({}).byBusId.isEmpty());
}

PILOTHOUSE_TEST_MAIN(TstSmiMig)
#include "tst_smimig.moc"

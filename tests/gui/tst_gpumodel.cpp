// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/gpumodel.h"

#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/theme/roles.h"
#include "ui/theme/severity.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QSignalSpy>
#include <QTextDocument>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

struct Shown
{
    explicit Shown(const Snapshot &snapshot) { show(snapshot); }
    void show(const Snapshot &snapshot)
    {
        history.add(snapshot);
        model.show(snapshot.gpus.value_or(QList<Gpu>()), history);
    }
    QVariant at(int row, GpuModel::Column column, int role) const
    {
        return model.index(row, static_cast<int>(column)).data(role);
    }

    MemoryHistory history;
    GpuModel model;
    QAbstractItemModelTester tester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
};

using Column = GpuModel::Column;

} // namespace

class TstGpuModel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void rows_healthy()
    {
        const Shown shown(leftoverHost(u"gpu3"_s));
        QCOMPARE(shown.model.rowCount(), 8);
        QCOMPARE(printed(shown.model).first(), u"0 |  | 94.4 / 95.6 | 0 % | 41 °C"_s);
        QVERIFY(qAbs(shown.at(0, Column::Bar, FractionRole).toDouble() - 96619.0 / 97887.0) < 1e-6);
        QCOMPARE(shown.at(7, Column::Index, SlotRole).toInt(), 7);
        QVERIFY(!shown.at(0, Column::Bar, SeverityRole).isValid());
    }

    void rows_faultTaintsTheCard()
    {
        const Shown shown(faultHost(u"gpu17"_s));
        QCOMPARE(printed(shown.model).at(3), u"3 | fault | – | – | –"_s);
        QCOMPARE(shown.at(3, Column::Bar, Qt::ToolTipRole).toString(), u"GPU requires reset"_s);
        QVERIFY(!shown.at(3, Column::Bar, FractionRole).isValid());
        QCOMPARE(shown.at(3, Column::Bar, SeverityRole).toInt(), static_cast<int>(Severity::Critical));
        QVERIFY(shown.at(3, Column::Load, Qt::ToolTipRole).toString().contains(u"[GPU requires reset]"_s));
    }

    void rows_unifiedMemory()
    {
        const Shown shown(unifiedHost(u"gb10"_s));
        QCOMPARE(printed(shown.model).first(), u"0 | host's memory | – | 31 % | 41 °C"_s);
        QVERIFY(shown.at(0, Column::Memory, Qt::ToolTipRole).toString().contains(u"host's"_s));
    }

    void rows_migBelowTheirCard()
    {
        const Shown shown(migHost(u"mig1"_s));
        QCOMPARE(printed(shown.model).mid(0, 3),
                 (QStringList{u"0 |  | 40.2 / 79.6 | – | 41 °C"_s, u"MIG 0 |  | 18.8 / 19.6 |  | "_s,
                              u"MIG 1 |  | 14.0 / 19.6 |  | "_s}));
        QCOMPARE(shown.at(1, Column::Index, IndentRole).toInt(), 1);
        QVERIFY(!shown.at(1, Column::Index, SlotRole).isValid());
    }

    void rows_unknownIsNeverZero()
    {
        Snapshot snapshot = bareSnapshot(u"h"_s);
        Gpu gpu = test::gpu(0, 5);
        gpu.memoryUsedMib = Quantity<qint64>::unknown(UnknownReason::NoPermission, u"[Insufficient Permissions]"_s);
        snapshot.gpus->append(gpu);
        const Shown shown(snapshot);
        QCOMPARE(printed(shown.model).first(), u"0 | unknown | – / 95.6 | 0 % | 41 °C"_s);
        QVERIFY(shown.at(0, Column::Memory, Qt::ToolTipRole).toString().contains(u"may not see"_s));
    }

    void accessibleText_isFilledEverywhere()
    {
        const QString name = u"gpu1"_s;
        for (const Snapshot &snapshot : {leftoverHost(name), faultHost(name), unifiedHost(name), migHost(name)}) {
            const Shown shown(snapshot);
            for (int row = 0; row < shown.model.rowCount(); ++row) {
                const QString text = shown.at(row, Column::Bar, Qt::AccessibleTextRole).toString();
                QVERIFY2(text.contains(u"GPU"_s), qPrintable(text));
            }
        }
        const Shown shown(faultHost(u"b"_s));
        QCOMPARE(shown.at(3, Column::Bar, Qt::AccessibleTextRole).toString(),
                 u"GPU 3, GPU requires reset, memory – GiB, load –, temperature –"_s);
    }

    void tick_changesOnlyWhatDiffers()
    {
        Shown shown(leftoverHost(u"gpu3"_s));
        QSignalSpy changes(&shown.model, &QAbstractItemModel::dataChanged);
        QSignalSpy layout(&shown.model, &QAbstractItemModel::layoutChanged);
        shown.show(leftoverHost(u"gpu3"_s));
        QCOMPARE(changes.size(), 0);
        Snapshot next = leftoverHost(u"gpu3"_s);
        (*next.gpus)[2].temperatureC = 55.0;
        shown.show(next);
        QCOMPARE(changes.size(), 1);
        QCOMPARE(changes.first().at(0).toModelIndex().row(), 2);
        QCOMPARE(layout.size(), 0);
    }

    void colour_staysWithTheCard()
    {
        Shown shown(leftoverHost(u"gpu3"_s));
        Snapshot next = leftoverHost(u"gpu3"_s);
        next.gpus->removeFirst();
        for (Gpu &gpu : *next.gpus)
            gpu.index -= 1; // the driver numbers anew
        shown.show(next);
        QCOMPARE(shown.at(0, Column::Index, Qt::DisplayRole).toString(), u"0"_s);
        QCOMPARE(shown.at(0, Column::Index, SlotRole).toInt(), 1);
    }

    void stale_isSaidToTheDelegate()
    {
        Shown shown(leftoverHost(u"gpu3"_s));
        QVERIFY(!shown.at(0, Column::Bar, StaleRole).toBool());
        shown.model.setStale(true);
        QVERIFY(shown.at(0, Column::Bar, StaleRole).toBool());
    }

    void toolTips_arePlain()
    {
        const Shown shown(hostileHost(u"h"_s));
        const QString tip = shown.at(0, Column::Index, Qt::ToolTipRole).toString();
        QVERIFY(!Qt::mightBeRichText(tip));
        QVERIFY(tip.contains(u"<img src="_s));
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstGpuModel)
#include "tst_gpumodel.moc"

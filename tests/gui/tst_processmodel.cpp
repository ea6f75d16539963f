// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/processmodel.h"

#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/host/processcolumns.h"
#include "ui/host/processpanel.h"
#include "ui/theme/panel.h"
#include "ui/theme/roles.h"
#include "ui/theme/severity.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QHeaderView>
#include <QTextDocument>
#include <QTreeView>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

struct Shown
{
    explicit Shown(const QList<Process> &processes)
    {
        filter.setSourceModel(&model);
        model.show(processes);
    }
    QStringList column(ProcessColumn column) const
    {
        QStringList cells;
        for (int row = 0; row < filter.rowCount(); ++row)
            cells << filter.index(row, static_cast<int>(column)).data().toString();
        return cells;
    }
    void sort(ProcessColumn column, Qt::SortOrder order = Qt::AscendingOrder)
    {
        filter.sort(static_cast<int>(column), order);
    }

    ProcessModel model;
    ProcessFilter filter;
    QAbstractItemModelTester modelTester{&model, QAbstractItemModelTester::FailureReportingMode::QtTest};
    QAbstractItemModelTester filterTester{&filter, QAbstractItemModelTester::FailureReportingMode::QtTest};
};

using Column = ProcessColumn;

} // namespace

class TstProcessModel : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void rows_leftovers()
    {
        const Shown shown(*leftoverHost(u"gpu3"_s).processes);
        QCOMPARE(printed(shown.model).first(),
                 u"VLLM::Worker_TP0 | – | 94.4 GiB | 0 | 88 | session 361 | 2 h 10 min | 6.5 GiB |  | root | sleeping "
                 "| VLLM::Worker_TP0 | "_s);
        QCOMPARE(printed(shown.model).last().section(u" | "_s, 0, 4), u"resource_tracker | – |  |  | 86"_s);
    }

    void rows_pidThatTheHostDoesNotShow()
    {
        Process ghost;
        ghost.pid = Pid{4711};
        ghost.driverName = u"[Not Found]"_s;
        ghost.gpuMemory = {{0, u"GPU-x"_s, qint64{1024}}};
        const Shown shown({ghost});
        QCOMPARE(printed(shown.model).first(),
                 u"[Not Found] | – | 1.0 GiB | 0 | 4711 | – | – | – |  | – | not on the host | the driver calls it "
                 "[Not Found] | "_s);
        const QModelIndex pid = shown.model.index(0, static_cast<int>(Column::ProcessId));
        QVERIFY(pid.data(Qt::ToolTipRole).toString().contains(u"does not show"_s));
    }

    void rows_pidsHiddenByTheDriver()
    {
        Process hidden;
        hidden.rowsUnreadable = true;
        hidden.gpuMemory = {{1, u"GPU-y"_s, Quantity<qint64>::unknown(UnknownReason::NoPermission)}};
        const Shown shown({hidden});
        QCOMPARE(printed(shown.model).first().section(u" | "_s, 0, 4),
                 u"(PIDs hidden by the driver) | – | – | 1 | –"_s);
    }

    void rows_unknownWhileTheDriverIsNotRead()
    {
        Shown shown(*hungHost(u"gpu4"_s).processes);
        shown.model.show(*hungHost(u"gpu4"_s).processes, false);
        const QModelIndex memory = shown.model.index(0, static_cast<int>(Column::GpuMemory));
        QCOMPARE(memory.data().toString(), u"–"_s);
        QVERIFY(memory.data(Qt::ToolTipRole).toString().startsWith(u"Unknown"_s));
        shown.model.show(*leftoverHost(u"gpu4"_s).processes, true);
        QCOMPARE(memory.data().toString(), u"94.4 GiB"_s);
    }

    void sort_byEveryColumn()
    {
        Shown shown(*leftoverHost(u"gpu3"_s).processes);
        for (int column = 0; column < static_cast<int>(Column::Count); ++column) {
            shown.filter.sort(column, Qt::DescendingOrder);
            shown.filter.sort(column, Qt::AscendingOrder);
            QCOMPARE(shown.filter.rowCount(), 9);
        }
        shown.sort(Column::ProcessId, Qt::DescendingOrder);
        QCOMPARE(shown.column(Column::ProcessId).first(), u"95"_s);
        shown.sort(Column::HostMemory);
        QCOMPARE(shown.column(Column::Name).first(), u"resource_tracker"_s);
    }

    void sort_equalRowsKeepTheOrderOfTheirPids()
    {
        Shown shown(*leftoverHost(u"gpu3"_s).processes);
        const QStringList ascending{u"88"_s, u"89"_s, u"90"_s, u"91"_s, u"92"_s, u"93"_s, u"94"_s, u"95"_s};
        shown.sort(Column::GpuMemory, Qt::DescendingOrder);
        QCOMPARE(shown.column(Column::ProcessId).mid(0, 8), ascending);
        shown.sort(Column::GpuMemory, Qt::AscendingOrder);
        QCOMPARE(shown.column(Column::ProcessId).mid(1), ascending);
    }

    void sort_rowsMoveOnlyWhenTheShownValueDoes()
    {
        QList<Process> processes{worker(0, 10, 1000), worker(1, 11, 1010)};
        Shown shown(processes);
        shown.sort(Column::GpuMemory, Qt::DescendingOrder);
        QCOMPARE(shown.column(Column::ProcessId), (QStringList{u"10"_s, u"11"_s}));
        processes[0].gpuMemory[0].mib = qint64{990};
        shown.model.show(processes);
        QCOMPARE(shown.column(Column::ProcessId), (QStringList{u"10"_s, u"11"_s}));
        processes[1].gpuMemory[0].mib = qint64{2000};
        shown.model.show(processes);
        QCOMPARE(shown.column(Column::ProcessId), (QStringList{u"11"_s, u"10"_s}));
    }

    void filter_everyWordSomewhere_data()
    {
        QTest::addColumn<QString>("words");
        QTest::addColumn<int>("rows");
        QTest::newRow("nothing") << QString() << 9;
        QTest::newRow("name, any case") << u"worker_tp3"_s << 1;
        QTest::newRow("two words in two columns") << u"root worker"_s << 8;
        QTest::newRow("command") << u"resource_tracker"_s << 1;
        QTest::newRow("pid") << u"95"_s << 1;
        QTest::newRow("none") << u"nobody"_s << 0;
        QTest::newRow("no pattern") << u".*"_s << 0;
    }
    void filter_everyWordSomewhere()
    {
        QFETCH(QString, words);
        QFETCH(int, rows);
        Shown shown(*leftoverHost(u"gpu3"_s).processes);
        shown.filter.setWords(words);
        QCOMPARE(shown.filter.rowCount(), rows);
    }

    void identity_samePidNewProcess()
    {
        Shown shown({worker(0, 88, 1000)});
        const QPersistentModelIndex old = shown.model.index(0, 0);
        Process next = worker(0, 88, 1000);
        next.startTicks = quint64{999'999};
        shown.model.show({next});
        QVERIFY(!old.isValid());
        QCOMPARE(shown.model.rowCount(), 1);
    }

    void identity_survivesOrderAndNeighbours()
    {
        Shown shown({worker(0, 88, 1), worker(1, 89, 1), worker(2, 90, 1)});
        const QPersistentModelIndex middle = shown.model.index(1, 0);
        shown.model.show({worker(2, 90, 1), worker(1, 89, 1)});
        QCOMPARE(middle.sibling(middle.row(), static_cast<int>(Column::ProcessId)).data().toString(), u"89"_s);
    }

    void state_stuckIsLoud()
    {
        Process process = worker(0, 1, 1);
        process.state = u'D';
        const Shown shown({process});
        const QModelIndex state = shown.model.index(0, static_cast<int>(Column::State));
        QCOMPARE(state.data(SeverityRole).toInt(), static_cast<int>(Severity::Warning));
        QCOMPARE(state.data().toString(), u"stuck in the kernel (D)"_s);
    }

    void hostileText_staysText()
    {
        const Shown shown(*hostileHost(u"h"_s).processes);
        QCOMPARE(shown.model.index(0, 0).data().toString(), u"<img>"_s);
        for (int column = 0; column < shown.model.columnCount(); ++column) {
            const QString tip = shown.model.index(0, column).data(Qt::ToolTipRole).toString();
            QVERIFY2(!Qt::mightBeRichText(tip), qPrintable(tip));
        }
    }

    void panel_tellsHoldersFromRelatives()
    {
        const Theme theme(Theme::Mode::Light);
        ProcessPanel panel(theme);
        const auto *header = panel.findChild<Panel *>();
        QVERIFY(header);
        Snapshot snapshot = freeHost(u"gpu1"_s);
        Process related = worker(0, 90, 0);
        related.gpuMemory.clear();
        snapshot.gpus->first().unattributedMib = {}; // no more words than the counts
        snapshot.processes = QList<Process>{worker(0, 77, 0), worker(1, 78, 1), related};
        panel.showSnapshot(snapshot, false);
        QCOMPARE(header->remark(), u"2 on GPUs, 1 related"_s);
        snapshot.processes->removeLast();
        panel.showSnapshot(snapshot, false);
        QCOMPARE(header->remark(), u"2"_s);
        snapshot.gpus.reset(); // who is on a GPU is not known
        snapshot.processes = QList<Process>{related};
        panel.showSnapshot(snapshot, false);
        QCOMPARE(header->remark(), u"1"_s);
    }

    void panel_keepsRoomForTheReasons()
    {
        const Theme theme(Theme::Mode::Light);
        ProcessPanel panel(theme);
        panel.showSnapshot(leftoverHost(u"gpu3"_s), false);
        panel.resize(2000, 300);
        panel.show();
        const auto *table = panel.findChild<QTreeView *>(u"processTable"_s);
        const QHeaderView *header = table->header();
        const auto hidden = [header] {
            QList<Column> columns;
            for (int i = 0; i < header->count(); ++i) {
                if (header->isSectionHidden(i))
                    columns << static_cast<Column>(i);
            }
            return columns;
        };
        const auto whyIsSeen = [&] {
            const int begin = header->sectionViewportPosition(static_cast<int>(Column::Why));
            return begin + table->fontMetrics().averageCharWidth() * 20 <= table->viewport()->width();
        };
        QTRY_COMPARE(hidden(), QList<Column>());
        QVERIFY(whyIsSeen());
        const int all = header->sectionViewportPosition(static_cast<int>(Column::Why));
        const int hostMemory = header->sectionSize(static_cast<int>(Column::HostMemory));
        panel.resize(all, 300);
        QTRY_VERIFY(!hidden().isEmpty());
        QCOMPARE(hidden().first(), Column::User);
        QVERIFY(whyIsSeen());
        const QByteArray narrow = panel.columns();
        panel.resize(2000, 300);
        QTRY_COMPARE(hidden(), QList<Column>());
        QCOMPARE(header->sectionSize(static_cast<int>(Column::HostMemory)), hostMemory);
        panel.setColumns(narrow); // from a window that was narrow then
        QCOMPARE(hidden(), QList<Column>());
        QVERIFY(panel.text().contains(u"Host memory"_s));
        panel.resize(300, 300); // hopeless: what says who it is stays
        QTRY_COMPARE(hidden(), (QList<Column>{Column::Running, Column::HostMemory, Column::Role, Column::User,
                                              Column::State, Column::Command}));
    }

    void manyProcesses_mergeQuickly()
    {
        QList<Process> processes;
        for (int i = 0; i < 3000; ++i)
            processes << worker(i % 8, 1000 + i, i);
        ProcessModel model; // without the tester, which looks at every row at every change
        model.show(processes);
        processes.removeFirst();
        model.show(processes);
        QCOMPARE(model.rowCount(), 2999);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstProcessModel)
#include "tst_processmodel.moc"

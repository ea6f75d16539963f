// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/host/processcolumns.h"
#include "ui/host/processmodel.h"
#include "ui/plots/memoryplot.h"
#include "ui/theme/roles.h"
#include "ui/theme/runlabel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QSplitter>
#include <QTextDocument>
#include <QToolButton>
#include <QTreeView>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

Snapshot serving(const QString &host, qint64 ageMs)
{
    return servingHost(host, ageMs);
}

struct Window : WindowFixture
{
    using WindowFixture::WindowFixture;

    QString text(const QString &runLabel) const { return find<RunLabel>(runLabel)->text(); }
    QListView *list() const { return find<QListView>(u"hostList"_s); }
    QTreeView *table() const { return find<QTreeView>(u"processTable"_s); }
    QStringList hosts(int role = Qt::DisplayRole) const { return printed(*list()->model(), role); }
    /// Everything that can move, with where it is.
    QList<QRect> places() const
    {
        QList<QRect> places;
        for (const QWidget *widget : window->findChildren<QWidget *>()) {
            if (widget->isVisible())
                places << QRect(widget->mapTo(window.get(), QPoint()), widget->size());
        }
        return places;
    }
    QModelIndex row(const QString &key) const
    {
        const QAbstractItemModel *model = table()->model();
        const QModelIndexList found = model->match(model->index(0, 0), KeyRole, key, 1, Qt::MatchExactly);
        return found.isEmpty() ? QModelIndex() : found.first();
    }
};

} // namespace

class TstMainWindow : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void empty_oneSentenceAndButtons()
    {
        const Window w;
        QCOMPARE(w.text(u"stateTitle"_s), u"No hosts yet"_s);
        QSignalSpy add(w.window.get(), &MainWindow::addHostRequested);
        QSignalSpy import(w.window.get(), &MainWindow::importRequested);
        QSignalSpy demo(w.window.get(), &MainWindow::demoRequested);
        QTest::mouseClick(w.find<QPushButton>(u"emptyImport"_s), Qt::LeftButton);
        QTest::keyClick(w.find<QPushButton>(u"emptyAdd"_s), Qt::Key_Space);
        QTest::mouseClick(w.find<QPushButton>(u"emptyDemo"_s), Qt::LeftButton);
        QCOMPARE(import.size(), 1);
        QCOMPARE(add.size(), 1);
        QCOMPARE(add.first().first().toBool(), false);
        QCOMPARE(demo.size(), 1);
        QVERIFY(!w.action(u"host.terminal"_s)->isEnabled());
    }

    void firstHost_isOpenedAndSaid()
    {
        Window w;
        QSignalSpy chosen(w.window.get(), &MainWindow::hostChosen);
        w.addHost(u"gpu3"_s, leftoverHost);
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(w.window->currentHost(), u"gpu3"_s);
        QCOMPARE(w.window->windowTitle(), u"gpu3 – Pilothouse"_s);
        QCOMPARE(w.text(u"headline"_s),
                 u"gpu3 vllm-kimi-k25.service failed 754.8 of 764.7 GiB in use on all 8 GPUs"_s);
        QVERIFY(w.text(u"facts"_s).endsWith(u"root@gpu3.example:22 · 0.8 s ago"_s));
        QVERIFY(w.text(u"units"_s).startsWith(u"vllm-kimi-k25.service failed, exit-code"_s));
        QCOMPARE(w.text(u"statusCost"_s), u"snapshot 61 ms     11.0 KiB"_s);
        QVERIFY(w.find<RunLabel>(u"statusCost"_s)->toolTip().contains(u"within 10 ms"_s));
    }

    void connecting_saysWhatItDoes()
    {
        Window w;
        w.window->addHost(spec(u"gpu1"_s));
        w.window->setState(u"gpu1"_s, connecting(u"key exchange with 10.0.0.5:22"_s));
        QCOMPARE(w.text(u"stateTitle"_s), u"Connecting to gpu1"_s);
        QCOMPARE(w.find<QLabel>(u"stateWhy"_s)->text(), u"key exchange with 10.0.0.5:22"_s);
        QVERIFY(!w.find<QPushButton>(u"retryButton"_s)->isVisible());
        QCOMPARE(w.hosts(DetailRole), QStringList{u"key exchange with 10.0.0.5:22"_s});
    }

    void failed_reasonSinceNextTryAndButtons()
    {
        Window w;
        w.window->addHost(spec(u"gpu1"_s));
        w.window->setState(u"gpu1"_s, retrying({ErrorCode::ConnectRefused, u"10.0.0.7:22 refused."_s, {}}, 8));
        QCOMPARE(w.find<QLabel>(u"stateWhy"_s)->text(), u"10.0.0.7:22 refused."_s);
        QCOMPARE(w.find<QLabel>(u"stateAdvice"_s)->text(), u"Is sshd running there, and on this port?"_s);
        QCOMPARE(w.find<QLabel>(u"stateNext"_s)->text(), u"Since 22:51:59, 12 min. Next try in 8 s."_s);
        w.advance(3000);
        QTRY_COMPARE(w.find<QLabel>(u"stateNext"_s)->text(), u"Since 22:51:59, 12 min. Next try in 5 s."_s);
        QSignalSpy retry(w.window.get(), &MainWindow::retryRequested);
        QSignalSpy edit(w.window.get(), &MainWindow::editRequested);
        QTest::mouseClick(w.find<QPushButton>(u"retryButton"_s), Qt::LeftButton);
        w.press(Qt::Key_R, Qt::ControlModifier);
        QTest::mouseClick(w.find<QPushButton>(u"editButton"_s), Qt::LeftButton);
        QCOMPARE(retry.size(), 2);
        QCOMPARE(edit.size(), 1);
    }

    void stopped_saysThatNobodyTriesAgain()
    {
        Window w;
        w.window->addHost(spec(u"gpu1"_s));
        w.window->setState(u"gpu1"_s, stopped({ErrorCode::SignInRefused, {}, {}}));
        QVERIFY(w.find<QLabel>(u"stateNext"_s)->text().endsWith(u"It is not tried again by itself."_s));
        QVERIFY(w.find<QPushButton>(u"retryButton"_s)->isVisible());
    }

    void stale_fadesAndStays()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving);
        QCOMPARE(w.table()->model()->rowCount(), 8);
        w.advance(14'000);
        QTRY_VERIFY(w.text(u"facts"_s).contains(u"stale 14 s"_s));
        QCOMPARE(w.table()->model()->rowCount(), 8);
        QVERIFY(w.table()->model()->index(0, 0).data(StaleRole).toBool());
        QCOMPARE(w.hosts(DetailRole), QStringList{u"stale 14 s"_s});
        w.addHost(u"gpu1"_s, serving);
        QVERIFY(!w.table()->model()->index(0, 0).data(StaleRole).toBool());
    }

    void lostLink_keepsTheFigures()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving);
        w.window->setState(u"gpu1"_s, retrying({ErrorCode::ConnectionLost, {}, {}}, 3));
        QVERIFY(w.text(u"headline"_s).startsWith(u"gpu1 The connection was lost"_s));
        QVERIFY(w.find<QPushButton>(u"headRetryButton"_s)->isVisible());
        QCOMPARE(w.table()->model()->rowCount(), 8);
    }

    void hungTool_wordsInPlaceOfBars()
    {
        Window w;
        w.addHost(u"gpu4"_s, hungHost);
        QVERIFY(w.find<QLabel>(u"gpuEmpty"_s)->isVisible());
        QVERIFY(w.find<QLabel>(u"gpuEmpty"_s)->text().contains(u"left alone"_s));
        QCOMPARE(w.table()->model()->rowCount(), 9);
        QVERIFY(w.text(u"headline"_s).contains(u"nvidia-smi hangs"_s));
        QVERIFY(w.find(u"problemList"_s)->isVisible());
    }

    void fault_isSaidOnceAndTheAdviceBelow()
    {
        Window w;
        w.addHost(u"gpu17"_s, faultHost);
        const auto problems = [&w] {
            QStringList texts;
            for (const QLabel *label : w.find(u"problemList"_s)->findChildren<QLabel *>()) {
                if (label->isVisible() && !label->text().isEmpty())
                    texts << label->text();
            }
            return texts.join(u'\n');
        };
        const QString fault = u"reports a fault: GPU requires reset"_s;
        QVERIFY(w.text(u"headline"_s).contains(fault));
        QVERIFY2(!problems().contains(fault), qPrintable(problems()));
        QVERIFY2(problems().startsWith(u"End what uses it, then reset it"_s), qPrintable(problems()));
        QVERIFY2(problems().contains(u"The GPU at 00000000:08:00.0 is missing"_s), qPrintable(problems()));
        // The list is narrow: what is wrong comes before where it is.
        QCOMPARE(w.hosts(DetailRole), QStringList{u"GPU 3 requires reset"_s});
        // As soon as the headline says something else, the list says all of it.
        w.window->setState(u"gpu17"_s, retrying({ErrorCode::ConnectionLost, {}, {}}, 3));
        QVERIFY(!w.text(u"headline"_s).contains(fault));
        QVERIFY2(problems().startsWith(u"GPU 3 at 00000000:04:00.0 "_s + fault), qPrintable(problems()));
    }

    void lists_unknownIsNotEmpty()
    {
        Window w;
        w.addHost(u"gpu1"_s, freeHost);
        QCOMPARE(w.find<QLabel>(u"processEmpty"_s)->text(),
                 u"No process uses a GPU, and none is of a unit that is watched."_s);
        Snapshot snapshot = freeHost(u"gpu1"_s);
        for (Gpu &gpu : *snapshot.gpus)
            gpu.attributedMib = Quantity<qint64>::unknown(UnknownReason::Failed);
        w.window->addSnapshot(u"gpu1"_s, shared(snapshot));
        QCOMPARE(w.find<QLabel>(u"processEmpty"_s)->text(), u"Who has GPU memory is unknown."_s);
        snapshot.processes.reset();
        snapshot.unknown.insert(u"processes"_s, UnknownReason::NoPermission);
        w.window->addSnapshot(u"gpu1"_s, shared(snapshot));
        QCOMPARE(w.find<QLabel>(u"processEmpty"_s)->text(),
                 u"The list of processes could not be read. Unknown: this account may not see it."_s);
    }

    void tick_movesNothing()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving, 20);
        w.addHost(u"gpu3"_s, leftoverHost);
        QTest::qWait(50);
        const QList<QRect> before = w.places();
        const QList<int> columns = [&] {
            QList<int> widths;
            for (int i = 0; i < static_cast<int>(ProcessColumn::Count); ++i)
                widths << w.table()->columnWidth(i);
            return widths;
        }();
        for (int i = 0; i < 5; ++i) {
            w.advance(2000);
            Snapshot next = servingHost(u"gpu1"_s, 800 - sceneNow().msecsTo(w.now));
            for (Gpu &gpu : *next.gpus) {
                gpu.memoryUsedMib = qint64{100 * i + 9};
                gpu.utilizationPct = 100.0 - i;
            }
            for (Process &process : *next.processes)
                process.elapsedS = 360'000.0 + i;
            next.durationMs = 1061;
            w.window->addSnapshot(u"gpu1"_s, shared(next));
            QTest::qWait(20);
            QCOMPARE(w.places(), before);
        }
        for (int i = 0; i < columns.size(); ++i)
            QCOMPARE(w.table()->columnWidth(i), columns.at(i));
    }

    void selection_belongsToTheProcess()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost);
        QTreeView *table = w.table();
        table->setCurrentIndex(w.row(u"91.123547"_s));
        QCOMPARE(table->selectionModel()->selectedRows().size(), 1);
        Snapshot next = leftoverHost(u"gpu3"_s);
        next.processes->removeFirst();
        next.processes->append(worker(0, 4000, 12));
        w.window->addSnapshot(u"gpu3"_s, shared(next));
        QCOMPARE(table->currentIndex().data(KeyRole).toString(), u"91.123547"_s);
        QCOMPARE(table->selectionModel()->selectedRows().first().data(KeyRole).toString(), u"91.123547"_s);
        QTest::mouseClick(table->header()->viewport(), Qt::LeftButton, Qt::NoModifier,
                          QPoint(table->columnViewportPosition(static_cast<int>(ProcessColumn::ProcessId)) + 10, 5));
        QCOMPARE(table->currentIndex().data(KeyRole).toString(), u"91.123547"_s);
    }

    void scroll_survivesATick()
    {
        Window w;
        w.addHost(u"big"_s, [](const QString &host, qint64 age) { return servingHost(host, age, 40); });
        QScrollBar *bar = w.table()->verticalScrollBar();
        bar->setValue(bar->maximum());
        QVERIFY(bar->value() > 0);
        const int place = bar->value();
        w.addHost(u"big"_s, [](const QString &host, qint64 age) { return servingHost(host, age, 40); });
        QCOMPARE(bar->value(), place);
    }

    void processes_filterAndSortByKeyboardAndMouse()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost);
        w.press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
        auto *filter = w.find<QLineEdit>(u"processFilter"_s);
        QCOMPARE(QApplication::focusWidget(), filter);
        QTest::keyClicks(filter, u"tracker"_s);
        QCOMPARE(w.table()->model()->rowCount(), 1);
        QTest::keyClicks(filter, u" nothing"_s);
        QCOMPARE(w.find<QLabel>(u"processEmpty"_s)->text(), u"No process matches the filter “tracker nothing”."_s);
        filter->clear();
        QTreeView *table = w.table();
        const QPoint pid(table->columnViewportPosition(static_cast<int>(ProcessColumn::ProcessId)) + 10, 5);
        QTest::mouseClick(table->header()->viewport(), Qt::LeftButton, Qt::NoModifier, pid);
        const int column = static_cast<int>(ProcessColumn::ProcessId);
        QCOMPARE(table->model()->index(0, column).data().toString(), u"86"_s);
        QTest::mouseClick(table->header()->viewport(), Qt::LeftButton, Qt::NoModifier, pid);
        QCOMPARE(table->model()->index(0, column).data().toString(), u"95"_s);
    }

    void copy_tableAndSummary()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost);
        w.table()->setFocus();
        w.table()->selectAll();
        QTest::keyClick(w.table(), Qt::Key_C, Qt::ControlModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 10);
        QVERIFY(lines.first().startsWith(u"Process\tVerdict\tGPU memory\tGPU\tPID"_s));
        QVERIFY(lines.at(1).startsWith(u"VLLM::Worker_TP0\t–\t94.4 GiB\t0\t88"_s));
        w.press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(u"gpu3: vllm-kimi-k25.service failed"_s));
        w.press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(u"Process\t"_s));
    }

    void hosts_keyboardFilterAndCount()
    {
        Window w;
        for (const QString &name : {u"gpu1"_s, u"gpu2"_s, u"gpu3"_s})
            w.addHost(name, serving);
        QCOMPARE(w.text(u"hostCount"_s), u"3 hosts, 3 connected"_s);
        w.press(Qt::Key_PageDown, Qt::ControlModifier);
        QCOMPARE(w.window->currentHost(), u"gpu2"_s);
        w.list()->setFocus();
        QTest::keyClick(w.list(), Qt::Key_Down);
        QCOMPARE(w.window->currentHost(), u"gpu3"_s);
        w.press(Qt::Key_F, Qt::ControlModifier);
        auto *filter = w.find<QLineEdit>(u"hostFilter"_s);
        QTest::keyClicks(filter, u"gpu1"_s);
        QCOMPARE(w.hosts(), QStringList{u"gpu1"_s});
        QCOMPARE(w.text(u"hostCount"_s), u"3 hosts, 3 connected, 1 shown"_s);
        filter->clear();
        QCOMPARE(w.hosts().size(), 3);
    }

    void hosts_choiceSurvivesFilterAndTicks()
    {
        Window w;
        for (const QString &name : {u"gpu1"_s, u"gpu2"_s, u"gpu3"_s})
            w.addHost(name, serving);
        w.window->openHost(u"gpu2"_s);
        w.find<QLineEdit>(u"hostFilter"_s)->setText(u"gpu2"_s);
        w.addHost(u"gpu2"_s, leftoverHost);
        w.find<QLineEdit>(u"hostFilter"_s)->clear();
        QCOMPARE(w.window->currentHost(), u"gpu2"_s);
        QCOMPARE(w.list()->currentIndex().data().toString(), u"gpu2"_s);
        w.find<QLineEdit>(u"hostFilter"_s)->setText(u"gpu3"_s);
        w.window->openHost(u"gpu1"_s);
        QCOMPARE(w.list()->currentIndex().data().toString(), u"gpu1"_s);
    }

    void hosts_removed()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving);
        w.addHost(u"gpu2"_s, serving);
        w.window->removeHost(u"gpu1"_s);
        QCOMPARE(w.window->currentHost(), u"gpu2"_s);
        w.window->removeHost(u"gpu2"_s);
        QVERIFY(w.window->currentHost().isEmpty());
        QVERIFY(w.find(u"emptyPane"_s)->isVisible());
    }

    void models_holdTheirPromises()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving);
        const QAbstractItemModelTester hosts(w.list()->model(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester processes(w.table()->model(),
                                                 QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QAbstractItemModelTester gpus(w.find<QTreeView>(u"gpuTable"_s)->model(),
                                            QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy resets(w.table()->model(), &QAbstractItemModel::modelReset);
        for (const auto &make : {leftoverHost, faultHost, hungHost, unifiedHost, migHost, hostileHost, freeHost})
            w.window->addSnapshot(u"gpu1"_s, shared(make(u"gpu1"_s, 800)));
        QCOMPARE(resets.size(), 0);
    }

    void hostile_textStaysText()
    {
        Window w;
        w.addHost(u"<img src=x>"_s, hostileHost);
        QVERIFY(w.text(u"headline"_s).startsWith(u"<img src=x>"_s));
        QCOMPARE(w.table()->model()->index(0, 0).data().toString(), u"<img>"_s);
        for (const QWidget *widget : w.window->findChildren<QWidget *>()) {
            const auto *label = qobject_cast<const QLabel *>(widget);
            if (label && !label->text().isEmpty())
                QVERIFY2(label->textFormat() == Qt::PlainText, qPrintable(label->objectName() + label->text()));
            const QString tip = widget->toolTip();
            if (Qt::mightBeRichText(tip))
                QVERIFY2(tip.startsWith(u"<span>"_s) && !tip.contains(u"<img"_s), qPrintable(tip));
        }
    }

    void commands_reachTheApplication()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving);
        QSignalSpy terminal(w.window.get(), &MainWindow::terminalRequested);
        QSignalSpy ssh(w.window.get(), &MainWindow::sshCommandRequested);
        QSignalSpy snapshot(w.window.get(), &MainWindow::snapshotRequested);
        w.press(Qt::Key_T, Qt::ControlModifier);
        w.press(Qt::Key_T, Qt::ControlModifier | Qt::ShiftModifier);
        w.press(Qt::Key_F5);
        QCOMPARE(terminal.size(), 1);
        QCOMPARE(terminal.first().first().toString(), u"gpu1"_s);
        QCOMPARE(ssh.size(), 1);
        QCOMPARE(snapshot.size(), 1);
    }

    void commands_plot()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving, 30);
        auto *plot = w.find<MemoryPlot>(u"memoryPlot"_s);
        w.press(Qt::Key_P, Qt::ControlModifier);
        QCOMPARE(plot->view(), MemoryPlot::View::Paused);
        QVERIFY(w.action(u"view.pausePlot"_s)->isChecked());
        w.press(Qt::Key_L, Qt::ControlModifier);
        QCOMPARE(plot->view(), MemoryPlot::View::Live);
        QVERIFY(!w.action(u"view.pausePlot"_s)->isChecked());
        w.press(Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(plot->span(), std::chrono::hours(1));
    }

    void theme_switchesWhileOpen()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving, 30);
        w.action(u"view.themeDark"_s)->trigger();
        QVERIFY(w.theme.isDark());
        QTest::qWait(30);
        const QImage dark = w.window->grab().toImage();
        QCOMPARE(dark.pixelColor(dark.width() - 3, dark.height() / 2), colorOf(ColorId::Window, true));
        w.action(u"view.themeLight"_s)->trigger();
        QTest::qWait(30);
        const QImage light = w.window->grab().toImage();
        QCOMPARE(light.pixelColor(light.width() - 3, light.height() / 2), colorOf(ColorId::Window, false));
    }

    void layout_isTheSameOnEveryPageAndInTheNextWindow()
    {
        WindowLayout layout;
        QList<int> widths;
        {
            Window w;
            w.addHost(u"gpu1"_s, serving);
            w.addHost(u"gpu3"_s, leftoverHost);
            w.window->resize(1200, 780);
            QTest::qWait(30);
            auto *figures = w.find<QSplitter>(u"figuresSplitter"_s);
            const int first = figures->sizes().first();
            figures->setSizes({first - 60, figures->sizes().last() + 60});
            w.find<QSplitter>(u"mainSplitter"_s)->setSizes({300, 900});
            QHeaderView *header = w.table()->header();
            header->resizeSection(static_cast<int>(ProcessColumn::Owner), 111);
            header->moveSection(0, 3);
            w.table()->sortByColumn(static_cast<int>(ProcessColumn::ProcessId), Qt::DescendingOrder);
            widths = figures->sizes();
            w.window->openHost(u"gpu3"_s);
            QTest::qWait(30);
            QCOMPARE(w.find<QSplitter>(u"figuresSplitter"_s)->sizes(), widths);
            QCOMPARE(w.table()->columnWidth(static_cast<int>(ProcessColumn::Owner)), 111);
            QCOMPARE(w.table()->model()->index(0, int(ProcessColumn::ProcessId)).data().toString(), u"95"_s);
            w.window->close();
            layout = w.window->windowLayout();
        }
        Window next;
        next.window->setWindowLayout(layout);
        next.addHost(u"gpu3"_s, leftoverHost);
        QTest::qWait(30);
        QCOMPARE(next.window->size(), QSize(1200, 780).boundedTo(next.window->size()));
        QVERIFY(qAbs(next.find<QSplitter>(u"mainSplitter"_s)->sizes().first() - 300) < 4);
        QCOMPARE(next.table()->columnWidth(static_cast<int>(ProcessColumn::Owner)), 111);
        QCOMPARE(next.table()->header()->visualIndex(0), 3);
        QCOMPARE(next.table()->model()->index(0, int(ProcessColumn::ProcessId)).data().toString(), u"95"_s);
    }

    void layout_ofNoWindowIsHarmless()
    {
        Window w;
        const QSize size = w.window->size();
        WindowLayout layout;
        w.window->setWindowLayout(layout);
        layout.geometry = "nonsense";
        layout.page.processColumns = "nonsense";
        w.window->setWindowLayout(layout);
        w.addHost(u"gpu3"_s, leftoverHost);
        QCOMPARE(w.window->size(), size);
        QCOMPARE(w.table()->columnWidth(0) > 50, true);
    }

    void help_showsTheKeys()
    {
        Window w;
        w.press(Qt::Key_F1);
        QTRY_VERIFY(w.find(u"keysDialog"_s));
        QVERIFY(w.find<QPlainTextEdit>(u"keysDialogText"_s)->toPlainText().contains(u"Open Terminal"_s));
    }

    void access_everyInteractiveWidgetIsNamed()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost);
        w.window->addHost(spec(u"gpu1"_s));
        w.window->setState(u"gpu1"_s, stopped({ErrorCode::SignInRefused, {}, {}}));
        w.window->openHost(u"gpu1"_s);
        for (const QWidget *widget : w.window->findChildren<QWidget *>()) {
            const bool interactive =
                qobject_cast<const QPushButton *>(widget) || qobject_cast<const QLineEdit *>(widget)
                || qobject_cast<const QAbstractItemView *>(widget) || qobject_cast<const MemoryPlot *>(widget);
            if (!interactive || qobject_cast<const QHeaderView *>(widget))
                continue;
            QVERIFY2(!widget->objectName().isEmpty(), widget->metaObject()->className());
            const auto *button = qobject_cast<const QPushButton *>(widget);
            QVERIFY2(!widget->accessibleName().isEmpty() || (button && !button->text().isEmpty()),
                     qPrintable(widget->objectName()));
        }
    }

    void keyboard_tabReachesEverythingAndComesBack()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost, 10);
        QApplication::setActiveWindow(w.window.get());
        w.list()->setFocus();
        QStringList order;
        for (int i = 0; i < 30; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
            const QWidget *focus = QApplication::focusWidget();
            QVERIFY(focus && focus->isVisible());
            order << focus->objectName();
            if (focus == w.list())
                break;
        }
        QCOMPARE(order, (QStringList{u"plotSpan5min"_s, u"plotSpan1h"_s, u"plotPause"_s, u"memoryPlot"_s, u"gpuTable"_s,
                                     u"holderOthers"_s, u"holderWhy"_s, u"processFilter"_s, u"processTable"_s,
                                     u"hostFilter"_s, u"hostList"_s}));
    }

    void keyboard_emptyWindowStartsAtItsFirstButton()
    {
        Window w;
        QApplication::setActiveWindow(w.window.get());
        QTRY_COMPARE(QApplication::focusWidget(), w.find<QPushButton>(u"emptyImport"_s));
        w.addHost(u"gpu1"_s, serving);
        w.addHost(u"gpu2"_s, freeHost);
        QCOMPARE(QApplication::focusWidget(), w.list());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Down);
        QCOMPARE(w.window->currentHost(), u"gpu2"_s);
        w.window->removeHost(u"gpu1"_s);
        w.window->removeHost(u"gpu2"_s);
        QCOMPARE(QApplication::focusWidget(), w.find<QPushButton>(u"emptyImport"_s));
    }

    void sortArrow_leavesTheTitleReadable()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost);
        const QHeaderView *header = w.table()->header();
        for (int column = 0; column < header->count(); ++column) {
            if (header->isSectionHidden(column))
                continue; // it yields to the command line in a window of this width
            const QString title = w.table()->model()->headerData(column, Qt::Horizontal).toString();
            const int room = w.table()->columnWidth(column);
            QVERIFY2(header->fontMetrics().horizontalAdvance(title) + 16 <= room, qPrintable(title));
        }
    }

    void narrow_windowStillWorks()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost, 10);
        w.window->resize(w.window->minimumSizeHint());
        QTest::qWait(30);
        QVERIFY(w.window->width() <= 1100);
        QVERIFY(w.find(u"gpuTable"_s)->width() > 100);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstMainWindow)
#include "tst_mainwindow.moc"

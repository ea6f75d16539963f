// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Who holds the memory, in the window: verdicts, ticks, evidence, and what stays where it is.
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/host/hostpage.h"
#include "ui/host/processcolumns.h"
#include "ui/host/processpanel.h"
#include "ui/plots/memoryplot.h"
#include "ui/theme/panel.h"
#include "ui/theme/primarybutton.h"
#include "ui/theme/roles.h"
#include "ui/theme/runlabel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QListView>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

using Column = ProcessColumn;

struct Window : WindowFixture
{
    using WindowFixture::WindowFixture;

    QTreeView *table() const { return find<QTreeView>(u"processTable"_s); }
    ProcessPanel *panel() const { return window->findChild<ProcessPanel *>(); }
    QString text(const QString &runLabel) const { return find<RunLabel>(runLabel)->text(); }
    QModelIndex cell(const QString &pid, Column column) const
    {
        const QAbstractItemModel *model = table()->model();
        for (int row = 0; row < model->rowCount(); ++row) {
            if (model->index(row, int(Column::ProcessId)).data().toString() == pid)
                return model->index(row, int(column));
        }
        return {};
    }
    QVariant tick(const QString &pid) const { return cell(pid, Column::Name).data(Qt::CheckStateRole); }
    int ticked() const
    {
        int count = 0;
        for (int row = 0; row < table()->model()->rowCount(); ++row)
            count += table()->model()->index(row, 0).data(Qt::CheckStateRole).toInt() == Qt::Checked;
        return count;
    }
    void addLeftovers()
    {
        addHost(u"gpu3"_s, leftoverHost);
        window->addFindings(u"gpu3"_s, findingsOf(leftoverHost(u"gpu3"_s)));
    }
};

Snapshot serving(const QString &host, qint64 ageMs)
{
    return servingHost(host, ageMs);
}

} // namespace

class TstHolders final : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void leftovers_areToldAndTicked()
    {
        Window w;
        w.addLeftovers();
        QCOMPARE(w.cell(u"88"_s, Column::Judged).data().toString(), u"leftover"_s);
        QCOMPARE(w.cell(u"88"_s, Column::Judged).data(SeverityRole).toInt(), int(Severity::Critical));
        QCOMPARE(w.cell(u"88"_s, Column::Role).data().toString(), u"vLLM worker"_s);
        QVERIFY(!w.cell(u"88"_s, Column::Why).data().toString().isEmpty());
        QCOMPARE(w.cell(u"86"_s, Column::Judged).data().toString(), u"helper"_s);
        QCOMPARE(w.ticked(), 8);
        QVERIFY2(!w.tick(u"86"_s).isValid(), "a tracker ends with its family");
        QCOMPARE(w.panel()->findChild<Panel *>()->remark(),
                 u"8 leftovers in 1 family · 1 helper · unattributed 0.0 GiB"_s);
        // Leftovers first, whatever their numbers are.
        QCOMPARE(w.table()->model()->index(0, int(Column::ProcessId)).data().toString(), u"88"_s);
        QCOMPARE(w.table()->model()->index(8, int(Column::ProcessId)).data().toString(), u"86"_s);
    }

    void answer_standsInHeadlineAndList()
    {
        Window w;
        w.addLeftovers();
        const QString headline = w.text(u"headline"_s);
        QVERIFY2(headline.startsWith(u"gpu3 Leftover 754.8 GiB of a vLLM engine whose "_s), qPrintable(headline));
        QVERIFY2(headline.endsWith(u"; can be freed"_s), qPrintable(headline));
        const QModelIndex host = w.find<QListView>(u"hostList"_s)->model()->index(0, 0);
        QCOMPARE(host.data(DetailRole).toString(), u"LEFTOVER 755 GiB"_s);
        QCOMPARE(host.data(SeverityRole).toInt(), int(Severity::Critical));
        QCOMPARE(w.text(u"hostCount"_s), u"1 host, 1 leftover, 1 connected"_s);
    }

    void answer_isDroppedWhenTheLeftoversAreGone()
    {
        Window w;
        w.addLeftovers();
        Snapshot next = leftoverHost(u"gpu3"_s);
        next.processes->first().gpuMemory.clear();
        w.window->addSnapshot(u"gpu3"_s, shared(next));
        QVERIFY2(!w.text(u"headline"_s).contains(u"Leftover"_s), qPrintable(w.text(u"headline"_s)));
        w.window->addSnapshot(u"gpu3"_s, shared(leftoverHost(u"gpu3"_s)));
        QVERIFY(w.text(u"headline"_s).contains(u"Leftover"_s));
        Snapshot rebooted = leftoverHost(u"gpu3"_s);
        rebooted.bootId = u"another"_s;
        w.window->addSnapshot(u"gpu3"_s, shared(rebooted));
        QVERIFY(!w.text(u"headline"_s).contains(u"Leftover"_s));
        QCOMPARE(w.ticked(), 0);
    }

    void family_isTickedAsAWhole()
    {
        Window w;
        w.addLeftovers();
        QSignalSpy changed(w.panel(), &ProcessPanel::choiceChanged);
        w.table()->setCurrentIndex(w.cell(u"90"_s, Column::GpuMemory));
        QTest::keyClick(w.table(), Qt::Key_Space);
        QCOMPARE(w.ticked(), 0);
        QCOMPARE(changed.size(), 1);
        // It stays so over ticks and fresh looks.
        w.window->addSnapshot(u"gpu3"_s, shared(leftoverHost(u"gpu3"_s)));
        w.window->addFindings(u"gpu3"_s, findingsOf(leftoverHost(u"gpu3"_s)));
        QCOMPARE(w.ticked(), 0);
        QTest::keyClick(w.table(), Qt::Key_Space);
        QCOMPARE(w.ticked(), 8);
        const QRect name = w.table()->visualRect(w.cell(u"91"_s, Column::Name));
        QTest::mouseClick(w.table()->viewport(), Qt::LeftButton, Qt::NoModifier,
                          QPoint(name.left() + 14, name.center().y()));
        QCOMPARE(w.ticked(), 0);
    }

    void others_onlyAfterIKnow()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving);
        w.window->addFindings(u"gpu1"_s, findingsOf(servingHost(u"gpu1"_s)));
        const QString pid = u"4242"_s;
        QVERIFY(w.cell(pid, Column::Judged).data().toString() != u"leftover"_s);
        QCOMPARE(w.tick(pid).toInt(), int(Qt::Unchecked));
        w.table()->setCurrentIndex(w.cell(pid, Column::Name));
        QTest::keyClick(w.table(), Qt::Key_Space);
        QCOMPARE(w.ticked(), 0);
        QVERIFY(w.panel()->choice().planOptions().include.isEmpty());
        QVERIFY(!w.find(u"holderKnowBar"_s)->isVisible());
        w.find<QToolButton>(u"holderOthers"_s)->click();
        QTest::keyClick(w.table(), Qt::Key_Space); // a warning is no consent
        QCOMPARE(w.ticked(), 0);
        QTest::mouseClick(w.find<QPushButton>(u"holderKnow"_s), Qt::LeftButton);
        QTest::keyClick(w.table(), Qt::Key_Space);
        QVERIFY(w.ticked() >= 1);
        QCOMPARE(w.panel()->choice().planOptions().include.size(), 1);
        w.find<QToolButton>(u"holderOthers"_s)->click(); // and back
        QCOMPARE(w.ticked(), 0);
        QVERIFY(w.panel()->choice().planOptions().include.isEmpty());
    }

    void evidence_onDemand()
    {
        Window w;
        w.addLeftovers();
        auto *evidence = w.window->findChild<QPlainTextEdit *>(u"holderEvidence"_s);
        QVERIFY(!evidence->isVisible());
        w.table()->setCurrentIndex(w.cell(u"88"_s, Column::Name));
        QTest::keyClick(w.table(), Qt::Key_Return);
        QVERIFY(evidence->isVisible());
        const QString text = evidence->toPlainText();
        QVERIFY2(text.startsWith(u"VLLM::Worker_TP0 (PID 88): leftover · vLLM worker · session 361 · since "_s),
                 qPrintable(text));
        QVERIFY2(text.contains(w.cell(u"88"_s, Column::Why).data().toString()), qPrintable(text));
        QVERIFY2(text.contains(u"Its family: PID "_s), qPrintable(text));
        w.table()->setCurrentIndex(w.cell(u"86"_s, Column::Name));
        QVERIFY2(evidence->toPlainText().contains(u"(PID 86): helper"_s), qPrintable(evidence->toPlainText()));
        QTest::keyClick(w.table(), Qt::Key_Return);
        QVERIFY(!evidence->isVisible());
    }

    void rows_stayWhenVerdictsCome()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost);
        QCOMPARE(w.cell(u"91"_s, Column::Judged).data().toString(), u"–"_s);
        QCOMPARE(w.ticked(), 0);
        w.table()->setCurrentIndex(w.cell(u"91"_s, Column::Name));
        const QAbstractItemModelTester tester(w.table()->model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        const QPersistentModelIndex row = w.cell(u"91"_s, Column::Name);
        w.window->addFindings(u"gpu3"_s, findingsOf(leftoverHost(u"gpu3"_s)));
        QVERIFY(row.isValid());
        QCOMPARE(w.table()->currentIndex().siblingAtColumn(int(Column::ProcessId)).data().toString(), u"91"_s);
        QStringList before;
        for (int i = 0; i < w.table()->model()->rowCount(); ++i)
            before << w.table()->model()->index(i, int(Column::ProcessId)).data().toString();
        for (int i = 0; i < 3; ++i) {
            w.advance(2000);
            w.window->addSnapshot(u"gpu3"_s, shared(leftoverHost(u"gpu3"_s, 800 - sceneNow().msecsTo(w.now))));
            QStringList after;
            for (int at = 0; at < w.table()->model()->rowCount(); ++at)
                after << w.table()->model()->index(at, int(Column::ProcessId)).data().toString();
            QCOMPARE(after, before);
        }
    }

    void rows_ofADeepLookStayBetweenLooks()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost);
        Snapshot deep = leftoverHost(u"gpu3"_s);
        Process open = worker(0, 4711, 0);
        open.gpuMemory.clear();
        open.comm = open.command = u"python3"_s;
        deep.processes->append(open);
        w.window->addFindings(u"gpu3"_s, findingsOf(deep));
        QVERIFY(w.cell(u"4711"_s, Column::Name).isValid());
        const QString hint = w.cell(u"4711"_s, Column::Name).data(Qt::ToolTipRole).toString();
        QVERIFY2(hint.contains(u"Only a deep look lists it"_s), qPrintable(hint));
        w.window->addSnapshot(u"gpu3"_s, shared(leftoverHost(u"gpu3"_s)));
        QVERIFY(w.cell(u"4711"_s, Column::Name).isValid());
        // One that held memory and is listed no more is gone.
        Snapshot ended = leftoverHost(u"gpu3"_s);
        ended.processes->removeFirst();
        w.window->addSnapshot(u"gpu3"_s, shared(ended));
        QVERIFY(!w.cell(u"88"_s, Column::Name).isValid());
    }

    void button_freesWhatIsTicked()
    {
        Window w;
        w.addLeftovers();
        auto *button = w.window->findChild<PrimaryButton *>(u"freeButton"_s);
        QVERIFY(button->isVisible() && button->isEnabled());
        QCOMPARE(button->text(), u"Free 754.8 GiB…"_s);
        QVERIFY(w.action(u"host.free"_s)->isEnabled());
        QSignalSpy wanted(w.window.get(), &MainWindow::reclaimRequested);
        w.press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
        QTest::mouseClick(button, Qt::LeftButton);
        QCOMPARE(wanted.size(), 2);
        QCOMPARE(wanted.first().first().toString(), u"gpu3"_s);
        w.table()->setCurrentIndex(w.cell(u"88"_s, Column::Name));
        QTest::keyClick(w.table(), Qt::Key_Space);
        QVERIFY(!button->isEnabled());
        QVERIFY2(button->toolTip().contains(u"Nothing is ticked"_s), qPrintable(button->toolTip()));
        QVERIFY(!w.action(u"host.free"_s)->isEnabled());
    }

    void button_isDisabledWhereNothingMayBeChanged()
    {
        Window w;
        w.addLeftovers();
        HostSpec host = spec(u"gpu3"_s);
        host.access = Access::ReadOnly;
        w.window->addHost(host);
        auto *button = w.window->findChild<PrimaryButton *>(u"freeButton"_s);
        QVERIFY(button->isVisible());
        QVERIFY(!button->isEnabled());
        QVERIFY2(button->toolTip().contains(u"read-only"_s), qPrintable(button->toolTip()));
        QSignalSpy wanted(w.window.get(), &MainWindow::reclaimRequested);
        w.press(Qt::Key_M, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(wanted.size(), 0);
    }

    void button_isNotThereWhereNothingIsLeftOver()
    {
        Window w;
        w.addHost(u"gpu1"_s, serving);
        w.window->addFindings(u"gpu1"_s, findingsOf(servingHost(u"gpu1"_s)));
        QVERIFY(!w.window->findChild<PrimaryButton *>(u"freeButton"_s)->isVisible());
        w.addLeftovers();
        w.window->openHost(u"gpu3"_s);
        w.advance(60'000); // old: the host has to answer first
        PrimaryButton *shown = nullptr;
        for (PrimaryButton *button : w.window->findChildren<PrimaryButton *>(u"freeButton"_s)) {
            if (button->isVisible())
                shown = button;
        }
        QVERIFY(shown);
        QTRY_VERIFY(!shown->isEnabled());
    }

    void menu_endsOneProcessAlone()
    {
        Window w;
        w.addLeftovers();
        QSignalSpy wanted(w.window.get(), &MainWindow::reclaimRequested);
        const auto open = [&](const QString &pid) {
            w.table()->setCurrentIndex(w.cell(pid, Column::Name));
            emit w.table()->customContextMenuRequested(QPoint(5, 5));
            return w.window->findChild<QMenu *>(u"holderMenu"_s);
        };
        const auto action = [](QMenu *menu, const QString &name) { return menu->findChild<QAction *>(name); };
        QMenu *menu = open(u"91"_s);
        QVERIFY(menu);
        QVERIFY(action(menu, u"holderEnd"_s)->isEnabled());
        action(menu, u"holderKill"_s)->trigger();
        QCOMPARE(wanted.size(), 1);
        const auto options = wanted.first().at(1).value<PlanOptions>();
        QVERIFY(options.only);
        QCOMPARE(options.only->pid.value, 91);
        QVERIFY(options.grace == std::chrono::milliseconds(0));
        action(menu, u"holderStory"_s)->trigger();
        QVERIFY(w.window->findChild<QPlainTextEdit *>(u"holderEvidence"_s)->isVisible());
        action(menu, u"holderTick"_s)->trigger();
        QCOMPARE(w.ticked(), 0);
        menu->close();
        QTRY_VERIFY(!w.window->findChild<QMenu *>(u"holderMenu"_s));
        menu = open(u"86"_s); // a tracker ends with its family
        QVERIFY(!action(menu, u"holderEnd"_s)->isEnabled());
        QVERIFY(!action(menu, u"holderKill"_s)->toolTip().isEmpty());
        menu->close();
        QTRY_VERIFY(!w.window->findChild<QMenu *>(u"holderMenu"_s));
        HostSpec host = spec(u"gpu3"_s);
        host.access = Access::ReadOnly;
        w.window->addHost(host);
        menu = open(u"91"_s);
        QVERIFY(!action(menu, u"holderEnd"_s)->isEnabled());
        QVERIFY2(action(menu, u"holderEnd"_s)->toolTip().contains(u"read-only"_s), "the reason");
    }

    void resetReadiness_listsWhatIsInTheWay()
    {
        Window w;
        w.addLeftovers();
        w.action(u"host.reset"_s)->trigger();
        auto *text = w.find<QPlainTextEdit>(u"resetDialogText"_s);
        QVERIFY(text);
        const QString words = text->toPlainText();
        QVERIFY2(words.contains(u"VLLM::Worker_TP3 (PID 91) has it open (leftover)."_s), qPrintable(words));
        QVERIFY2(words.contains(u"Persistence mode keeps it open: nvidia-smi -pm 0 -i 7"_s), qPrintable(words));
        QVERIFY2(words.contains(u"recovery action: none"_s), qPrintable(words));
    }

    void marks_standOnThePlot()
    {
        Window w;
        w.addHost(u"gpu3"_s, leftoverHost, 10);
        auto *plot = w.window->findChild<MemoryPlot *>(u"memoryPlot"_s);
        QCOMPARE(plot->markTexts(), QStringList());
        w.window->addMark(u"gpu3"_s, sceneNow().addSecs(-5), u"TERM"_s);
        w.window->addMark(u"gpu3"_s, sceneNow().addSecs(-1), u"KILL"_s);
        QCOMPARE(plot->markTexts(), (QStringList{u"TERM"_s, u"KILL"_s}));
        w.window->addMark(u"gpu3"_s, sceneNow().addSecs(-4000), u"long ago"_s);
        QCOMPARE(plot->markTexts(), (QStringList{u"TERM"_s, u"KILL"_s}));
    }

    void copy_saysWhyToo()
    {
        Window w;
        w.addLeftovers();
        w.press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n', Qt::SkipEmptyParts);
        QCOMPARE(lines.size(), 10);
        QVERIFY2(lines.first().startsWith(u"Process\tVerdict\tGPU memory\t"_s), qPrintable(lines.first()));
        QVERIFY2(lines.at(1).startsWith(u"VLLM::Worker_TP0\tleftover\t94.4 GiB\t0\t88\t"_s), qPrintable(lines.at(1)));
        w.press(Qt::Key_C, Qt::ControlModifier | Qt::ShiftModifier);
        const QString ticket = QGuiApplication::clipboard()->text();
        QVERIFY2(ticket.contains(u"Family "_s) && ticket.contains(u": leftover"_s), qPrintable(ticket));
    }

    void hostileNames_stayText()
    {
        Window w;
        w.addHost(u"h"_s, hostileHost);
        w.window->addFindings(u"h"_s, findingsOf(hostileHost(u"h"_s)));
        w.table()->setCurrentIndex(w.cell(u"666"_s, Column::Name));
        QTest::keyClick(w.table(), Qt::Key_Return);
        QCOMPARE(w.table()->currentIndex().data().toString(), u"<img>"_s);
        QVERIFY(w.window->findChild<QPlainTextEdit *>(u"holderEvidence"_s)->toPlainText().contains(u"<img>"_s));
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstHolders)
#include "tst_holders.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The plan, the run and the transcript of a reclaim, as the window shows them.
#include "ui/workflow/reclaimdialog.h"

#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/theme/primarybutton.h"
#include "ui/theme/runlabel.h"
#include "ui/workflow/stepmodel.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QSignalSpy>
#include <QTreeView>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;
using State = WorkflowEvent::State;
using Phase = ReclaimDialog::Phase;

namespace {

WorkflowEvent happened(int second, const QString &step, State state, const QString &text)
{
    return {sceneNow().addSecs(second), step, state, text, {}};
}

struct Shown
{
    Shown()
    {
        dialog.show();
        dialog.showPlan(findings->plan, *findings->snapshot);
    }
    template <class T>
    T *find(const QString &name) const { return dialog.findChild<T *>(name); }
    QString text() const { return find<QPlainTextEdit>(u"reclaimText"_s)->toPlainText(); }
    QStringList steps() const { return printed(*find<QTreeView>(u"reclaimSteps"_s)->model()); }

    Theme theme{Theme::Mode::Dark};
    FindingsPtr findings = findingsOf(leftoverHost(u"gpu3"_s));
    ReclaimDialog dialog{theme, u"gpu3"_s, nullptr};
};

} // namespace

class TstReclaimDialog final : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void plan_namesEverythingBeforeAnythingRuns()
    {
        const Shown s;
        const QString text = s.text();
        QVERIFY2(text.startsWith(u"Plan "_s + s.findings->plan.id() + u" on gpu3. Ends 8 processes of 1 family, which "
                                                                      "hold 754.8 GiB on GPU 0–7."_s),
                 qPrintable(text));
        for (int pid = 88; pid < 96; ++pid)
            QVERIFY2(text.contains(u"  %1 "_s.arg(pid)), qPrintable(text));
        QVERIFY2(text.contains(u"spared   86 "_s), qPrintable(text));
        QVERIFY2(text.contains(u"Grace: 5 s"_s), qPrintable(text));
        QVERIFY2(text.contains(u"Who else is logged in was not told"_s), qPrintable(text));
        QCOMPARE(s.steps().first(), u"to do | Lock |  | Take the host's lock and see who else is here."_s);
        QCOMPARE(s.find<PrimaryButton>(u"reclaimGo"_s)->text(), u"End 8 processes, Free 754.8 GiB"_s);
    }

    void consent_isNeverOneKeyAway()
    {
        const Shown s;
        QSignalSpy agreed(&s.dialog, &ReclaimDialog::agreed);
        QApplication::setActiveWindow(const_cast<ReclaimDialog *>(&s.dialog));
        QCOMPARE(s.dialog.focusWidget(), s.find<QPushButton>(u"reclaimClose"_s));
        auto *steps = s.find<QTreeView>(u"reclaimSteps"_s);
        steps->setFocus();
        QTest::keyClick(steps, Qt::Key_Return);
        QTest::keyClick(steps, Qt::Key_Space);
        QCOMPARE(agreed.size(), 0);
        QVERIFY(s.dialog.isVisible());
        QTest::mouseClick(s.find<PrimaryButton>(u"reclaimGo"_s), Qt::LeftButton);
        QCOMPARE(agreed.size(), 1);
        QCOMPARE(agreed.first().first().toString(), s.findings->plan.id());
        QVERIFY2(!s.find<PrimaryButton>(u"reclaimGo"_s)->isEnabled(), "once");
    }

    void changedHost_asksAgain()
    {
        Shown s;
        s.dialog.showPlan(s.findings->plan, *s.findings->snapshot, {u"- SIGTERM 88:1"_s, u"+ SIGTERM 99:1"_s});
        QVERIFY(s.text().startsWith(u"The host has changed since you were asked; nothing was done."_s));
        QVERIFY(s.text().contains(u"  + SIGTERM 99:1\n"_s));
        QCOMPARE(s.dialog.phase(), Phase::Asking);
    }

    void run_eachStepWithStateTimeAndProof()
    {
        Shown s;
        QAbstractItemModelTester tester(s.find<QTreeView>(u"reclaimSteps"_s)->model(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        s.dialog.showRunning();
        auto *kill = s.find<QPushButton>(u"reclaimKillNow"_s);
        QVERIFY(!kill->isEnabled());
        s.dialog.addEvent(happened(0, u"who_else"_s, State::Started, u"Takes the lock."_s));
        s.dialog.addEvent(happened(1, u"who_else"_s, State::Done, u"Nobody else is at work here."_s));
        s.dialog.addEvent(happened(1, u"evidence"_s, State::Started, u"Keeps evidence."_s));
        s.dialog.addEvent(happened(3, u"evidence"_s, State::Done, u"Kept in /x."_s));
        s.dialog.addEvent(happened(3, u"terminate"_s, State::Started, u"SIGTERM to 8."_s));
        s.dialog.addEvent(happened(3, u"terminate"_s, State::Done, u"8 signalled."_s));
        s.dialog.addEvent(happened(3, u"grace"_s, State::Started, u"Waits 5 s."_s));
        QCOMPARE(s.steps().at(0), u"done | Lock | 1.0 s | Nobody else is at work here."_s);
        QCOMPARE(s.steps().at(1), u"done | Evidence | 2.0 s | Kept in /x."_s);
        QCOMPARE(s.steps().at(2), u"running | SIGTERM | 0.0 s | Waits 5 s."_s);
        QVERIFY(kill->isEnabled());
        QSignalSpy hurry(&s.dialog, &ReclaimDialog::killNowRequested);
        kill->click();
        QCOMPARE(hurry.size(), 1);
        s.dialog.refresh(MemoryHistory(), sceneNow().addSecs(5));
        QCOMPARE(s.steps().at(2), u"running | SIGTERM | 2.0 s | Waits 5 s."_s);
        s.dialog.addEvent(happened(8, u"grace"_s, State::Done, u"All of them have ended after 5 s."_s));
        QVERIFY(!kill->isEnabled());
        s.dialog.addEvent(happened(8, u"memory"_s, State::Started, u"Waits for the memory."_s));
        QCOMPARE(s.steps().at(2), u"done | SIGTERM | 5.0 s | All of them have ended after 5 s."_s);
        QCOMPARE(s.steps().at(3), u"skipped | SIGKILL |  | Not needed."_s);
        s.dialog.addEvent(happened(11, u"memory"_s, State::Done, u"Memory is back."_s));
        s.dialog.addEvent(happened(12, u"second_look"_s, State::Done, u"Its memory is free."_s));
        s.dialog.addEvent(happened(12, u"result"_s, State::Done, u"What they held is free."_s));
        s.dialog.finish(0);
        QVERIFY(s.find<RunLabel>(u"reclaimHeadline"_s)->text().startsWith(u"gpu3 Done What they held is free."_s));
        QVERIFY(s.steps().last().startsWith(u"done | Unlock"_s));
        QCOMPARE(s.dialog.phase(), Phase::Over);
        QTest::mouseClick(s.find<QPushButton>(u"reclaimCopyTicket"_s), Qt::LeftButton);
        const QString ticket = QGuiApplication::clipboard()->text();
        QVERIFY(ticket.contains(s.findings->plan.id()));
        QVERIFY(ticket.contains(u"done  SIGTERM  5.0 s  All of them have ended after 5 s."_s));
        QVERIFY(ticket.contains(u"Memory is back."_s));
    }

    void failure_standsAtItsStep()
    {
        Shown s;
        s.dialog.showRunning();
        s.dialog.addEvent(happened(0, u"who_else"_s, State::Started, u"Takes the lock."_s));
        s.dialog.addEvent(happened(1, u"who_else"_s, State::Refused, u"ada@desk is at work on this host (3 s ago)."_s));
        s.dialog.addEvent(happened(1, u"result"_s, State::Refused, u"ada@desk is at work on this host (3 s ago)."_s));
        s.dialog.finish(7);
        QCOMPARE(s.steps().first(), u"refused | Lock | 1.0 s | ada@desk is at work on this host (3 s ago)."_s);
        QVERIFY(s.steps().at(2).startsWith(u"skipped | SIGTERM |  | "_s));
        QVERIFY(s.find<RunLabel>(u"reclaimHeadline"_s)->text().startsWith(u"gpu3 Not done "_s));
    }

    void shell_ofEachStep()
    {
        Shown s;
        s.dialog.setShellOf([](const ActionRequest &request) { return u"shell for "_s + nameOf(request.kind); });
        auto *steps = s.find<QTreeView>(u"reclaimSteps"_s);
        for (int row = 0; row < steps->model()->rowCount(); ++row) {
            steps->setCurrentIndex(steps->model()->index(row, 0));
            s.find<QPushButton>(u"reclaimCopyShell"_s)->click();
            const QString text = QGuiApplication::clipboard()->text();
            QVERIFY2(text.startsWith(u"# "_s) && text.count(u'\n') >= 2, qPrintable(text));
        }
        steps->setCurrentIndex(steps->model()->index(2, 0));
        s.find<QPushButton>(u"reclaimCopyShell"_s)->click();
        QVERIFY(QGuiApplication::clipboard()->text().contains(u"shell for signal.term"_s));
    }

    void hostileNames_stayText()
    {
        Shown s;
        Plan plan = s.findings->plan;
        plan.families.first().targets.first().process.name = u"<img src=x>"_s;
        s.dialog.showPlan(plan, *s.findings->snapshot);
        QVERIFY(s.text().contains(u"<img src=x>"_s));
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstReclaimDialog)
#include "tst_reclaimdialog.moc"

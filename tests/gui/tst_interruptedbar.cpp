// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line that tells of a reclaim which was cut off with its program.
#include "core/workflow/journal.h"
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

InterruptedRun runOf(const QString &bootId, const QString &said = u"SIGTERM to 8 processes."_s)
{
    InterruptedRun run;
    run.host = u"gpu1"_s;
    run.person = u"ada@desk"_s;
    run.bootId = bootId;
    run.startedAt = sceneNow().addSecs(-60);
    run.options.belowMib = 512;
    run.events = {{sceneNow().addSecs(-50), u"terminate"_s, WorkflowEvent::State::Started, said, {}}};
    return run;
}

struct Scene
{
    explicit Scene(Access access = Access::Normal)
    {
        HostSpec host = spec(u"gpu1"_s);
        host.access = access;
        fixture.window->addHost(host);
        fixture.window->setState(u"gpu1"_s, connected());
    }
    void tell(const QList<InterruptedRun> &runs) const
    {
        fixture.window->setInterrupted(u"gpu1"_s, runs);
        QTest::qWait(1);
    }
    [[nodiscard]] QWidget *bar() const { return fixture.find(u"interruptedBar"_s); }
    [[nodiscard]] QLabel *label() const { return fixture.find<QLabel>(u"interruptedBarText"_s); }
    [[nodiscard]] QPushButton *button(const QString &name) const
    {
        return fixture.find<QPushButton>(u"interruptedBar"_s + name);
    }

    WindowFixture fixture;
};

} // namespace

class TstInterruptedBar final : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void cutOff_isToldBeforeAndAfterTheFirstSnapshot()
    {
        const Scene s;
        QVERIFY(!s.bar()->isVisible());
        const Snapshot now = servingHost(u"gpu1"_s);
        const InterruptedRun run = runOf(now.bootId + u"0"_s);
        s.tell({run});
        QVERIFY(s.bar()->isVisible());
        QCOMPARE(s.label()->text(), wordsOf(run));
        s.fixture.window->addSnapshot(u"gpu1"_s, shared(now));
        QCOMPARE(s.label()->text(), wordsOf(run) + u" The host has been restarted since."_s);
        s.tell({run, runOf(now.bootId)});
        QCOMPARE(s.label()->text(), wordsOf(run) + u" One before it was cut off too."_s);
        s.tell({run, run, runOf(now.bootId)});
        QVERIFY2(s.label()->text().endsWith(u" 2 before it were cut off too."_s), qPrintable(s.label()->text()));
        s.tell({});
        QVERIFY(!s.bar()->isVisible());
    }

    void bothButtons_byKeyboard()
    {
        const Scene s;
        s.tell({runOf({})});
        QSignalSpy wanted(s.fixture.window.get(), &MainWindow::reclaimRequested);
        QSignalSpy dismissed(s.fixture.window.get(), &MainWindow::interruptedDismissed);
        s.button(u"Continue"_s)->setFocus(Qt::TabFocusReason);
        QTest::keyClick(s.button(u"Continue"_s), Qt::Key_Space);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.first().at(0).toString(), u"gpu1"_s);
        QCOMPARE(wanted.first().at(1).value<PlanOptions>().belowMib, std::optional<qint64>(512));
        QTest::keyClick(s.button(u"Continue"_s), Qt::Key_Tab);
        QCOMPARE(s.fixture.window->focusWidget(), s.button(u"Dismiss"_s));
        QTest::keyClick(s.button(u"Dismiss"_s), Qt::Key_Space);
        QCOMPARE(dismissed.size(), 1);
        QCOMPARE(dismissed.first().at(0).toString(), u"gpu1"_s);
        QVERIFY(s.bar()->isVisible()); // until its runs are forgotten
    }

    void readOnlyHost_canOnlyBeDismissed()
    {
        const Scene s(Access::ReadOnly);
        s.tell({runOf({})});
        QVERIFY(s.bar()->isVisible());
        QVERIFY(!s.button(u"Continue"_s)->isVisible());
        QVERIFY(s.button(u"Dismiss"_s)->isVisible());
    }

    void hostileText_isPlain()
    {
        const Scene s;
        const QString hostile = u"<b>SIGKILL</b> <img src=x>."_s;
        s.tell({runOf({}, hostile)});
        QCOMPARE(s.label()->textFormat(), Qt::PlainText);
        QVERIFY2(s.label()->text().endsWith(hostile), qPrintable(s.label()->text()));
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstInterruptedBar)
#include "tst_interruptedbar.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The audit as a person reads it.
#include "app/console/auditview.h"

#include "core/base/statefolder.h"
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"

#include <QApplication>
#include <QPlainTextEdit>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

AuditRecord record(AuditRecord::Phase phase, const QString &operation, AuditRecord::Result result = {})
{
    AuditRecord made;
    made.at = sceneNow();
    made.phase = phase;
    made.operation = operation;
    made.console = u"c"_s;
    made.person = u"ada@desk"_s;
    made.host = u"gpu3"_s;
    made.target = u"root@gpu3:22"_s;
    made.action = u"signal.term"_s;
    made.objects = {AuditObject{ProcessIdentity{Pid{88}, StartTicks{7}}, u"VLLM::Worker_TP0 <b>"_s}};
    made.result = result;
    made.text = phase == AuditRecord::Phase::Intent ? u"SIGTERM to 1 process"_s : u"1 signalled"_s;
    return made;
}

} // namespace

class TstAuditView final : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void text_latestFirstAndWithItsOutcome()
    {
        using enum AuditRecord::Phase;
        const QStringList lines = auditText({record(Intent, u"a"_s), record(Outcome, u"a"_s, AuditRecord::Result::Done),
                                             record(Intent, u"b"_s)})
                                      .split(u'\n');
        QCOMPARE(lines.size(), 5);
        QVERIFY2(lines.at(0).contains(u"outcome unknown"_s), qPrintable(lines.at(0)));
        QVERIFY2(lines.at(1).contains(u"88 VLLM::Worker_TP0 <b>"_s), qPrintable(lines.at(1)));
        QVERIFY2(lines.at(2).contains(u"done "_s) && lines.at(2).contains(u"ada@desk: 1 signalled"_s),
                 qPrintable(lines.at(2)));
        QVERIFY2(lines.at(3).contains(u"begins "_s), qPrintable(lines.at(3)));
    }

    void window_showsTheFile()
    {
        const QTemporaryDir folder;
        WindowFixture w;
        const QString state = *makeStateFolder(folder.filePath(u"state"_s));
        AuditView view(*w.window, state);
        w.action(u"hosts.audit"_s)->trigger();
        QTRY_VERIFY(w.find<QPlainTextEdit>(u"auditDialogText"_s));
        QVERIFY(w.find<QPlainTextEdit>(u"auditDialogText"_s)->toPlainText().startsWith(u"Nothing has been done"_s));
        delete w.window->findChild<QWidget *>(u"auditDialog"_s);
        QVERIFY(AuditLog(state).append(record(AuditRecord::Phase::Intent, u"a"_s)));
        w.action(u"hosts.audit"_s)->trigger();
        QTRY_VERIFY(w.find<QPlainTextEdit>(u"auditDialogText"_s));
        QVERIFY(w.find<QPlainTextEdit>(u"auditDialogText"_s)->toPlainText().contains(u"signal.term"_s));
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstAuditView)
#include "tst_auditview.moc"

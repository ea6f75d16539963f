// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// One click frees the founding case on a simulated host: the button, the plan, the run, the proof, the audit; what a
// killed program began is told, and looked at anew.
#include "app/console/reclaimdesk.h"
#include "app/console/runreminder.h"
#include "core/audit/auditlog.h"
#include "core/fleet/inventory.h"
#include "tests/gui/windowfixture.h"
#include "tests/support/simhosts.h"
#include "ui/host/processcolumns.h"
#include "ui/plots/memoryplot.h"
#include "ui/theme/primarybutton.h"
#include "ui/theme/runlabel.h"
#include "ui/workflow/reclaimdialog.h"

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTreeView>

#include <algorithm>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int patience = 60'000;

struct Scene
{
    explicit Scene(const QString &folder)
        : settings([&] {
            FleetSettings made;
            made.sshConfigFile = folder + u"/ssh_config"_s;
            made.consoleId = u"0123456789abcdef0123456789abcdef"_s;
            return made;
        }())
        , fleet(settings)
        , binding(fleet, window)
        , desk(theme, window, fleet, binding, stateFolder(),
               [](const QString &name) -> Result<QStringList> { return QStringList{u"ssh"_s, name}; })
    {
        window.resize(1280, 800);
        window.show();
    }
    void add(const QString &folder, Access access)
    {
        const Inventory inventory = *loadInventory(folder);
        for (HostSpec host : inventory.hosts) {
            host.access = access;
            if (host.name == u"gpu3"_s)
                binding.addHost(host);
        }
    }
    QString stateFolder() const { return state.filePath(u"pilothouse"_s); }
    template <class T>
    T *find(const QString &name) const { return window.findChild<T *>(name); }
    QString headline() const { return find<RunLabel>(u"headline"_s)->text(); }
    ReclaimDialog *dialog() const { return find<ReclaimDialog>(u"reclaimDialog"_s); }
    QString plan() const { return find<QPlainTextEdit>(u"reclaimText"_s)->toPlainText(); }

    QTemporaryDir state;
    FleetSettings settings;
    Theme theme{Theme::Mode::Dark};
    MainWindow window{theme};
    Fleet fleet;
    FleetBinding binding;
    ReclaimDesk desk;
};

} // namespace

class TstLiveReclaim final : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void oneClick_freesTheFoundingCase()
    {
        SimHosts hosts;
        QVERIFY2(hosts.start({u"--scenario"_s, u"demo"_s}), hosts.errors().constData());
        {
            Scene readOnly(hosts.folder());
            readOnly.add(hosts.folder(), Access::ReadOnly);
            auto *button = readOnly.find<PrimaryButton>(u"freeButton"_s);
            QTRY_VERIFY_WITH_TIMEOUT(button->isVisible(), patience);
            QCOMPARE(button->text(), u"Free 754.8 GiB…"_s);
            QVERIFY(!button->isEnabled());
            QVERIFY2(button->toolTip().contains(u"read-only"_s), qPrintable(button->toolTip()));
            readOnly.desk.begin(u"gpu3"_s, {}); // whoever asks
            QVERIFY(!readOnly.dialog());
        }
        Scene s(hosts.folder());
        s.add(hosts.folder(), Access::Confirm);
        auto *button = s.find<PrimaryButton>(u"freeButton"_s);
        QTRY_VERIFY_WITH_TIMEOUT(button->isVisible() && button->isEnabled(), patience);
        QTest::mouseClick(button, Qt::LeftButton);
        QVERIFY(s.dialog());
        QTRY_COMPARE_WITH_TIMEOUT(s.dialog()->phase(), ReclaimDialog::Phase::Asking, patience);
        QVERIFY2(s.plan().contains(u"Ends 9 processes of 1 family, which hold 754.8 GiB on GPU 0–7."_s),
                 qPrintable(s.plan()));
        QVERIFY(AuditLog(s.state.filePath(u"pilothouse"_s)).last(100)->isEmpty());
        auto *steps = s.find<QTreeView>(u"reclaimSteps"_s);
        steps->setCurrentIndex(steps->model()->index(2, 0));
        s.find<QPushButton>(u"reclaimCopyShell"_s)->click();
        const QString shell = QGuiApplication::clipboard()->text();
        QVERIFY2(shell.contains(u"\nssh gpu3 'exec /bin/sh' <<'PILOTHOUSE'\n"_s), qPrintable(shell.left(300)));

        s.find<PrimaryButton>(u"reclaimGo"_s)->click();
        QTRY_COMPARE_WITH_TIMEOUT(s.dialog()->phase(), ReclaimDialog::Phase::Over, patience);
        const QString end = s.find<RunLabel>(u"reclaimHeadline"_s)->text();
        QVERIFY2(end.startsWith(u"gpu3 Done "_s), qPrintable(s.dialog()->ticketText()));
        const QStringList marks = s.find<MemoryPlot>(u"reclaimPlot"_s)->markTexts();
        QVERIFY2(marks.contains(u"TERM"_s) && marks.contains(u"freed"_s), qPrintable(marks.join(u' ')));
        QCOMPARE(s.find<MemoryPlot>(u"memoryPlot"_s)->markTexts(), marks);

        const QList<AuditRecord> audit = *AuditLog(s.state.filePath(u"pilothouse"_s)).last(100);
        const auto has = [&](const QString &action, AuditRecord::Phase phase) {
            return std::ranges::any_of(audit, [&](const AuditRecord &record) {
                return record.action == action && record.phase == phase && record.host == u"gpu3"_s;
            });
        };
        QVERIFY(has(u"signal.term"_s, AuditRecord::Phase::Intent));
        QVERIFY(has(u"signal.term"_s, AuditRecord::Phase::Outcome));
        QTRY_VERIFY2_WITH_TIMEOUT(!s.headline().contains(u"Leftover"_s), qPrintable(s.headline()), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!button->isVisible(), patience);
        s.find<QPushButton>(u"reclaimClose"_s)->click();
        QTRY_VERIFY(!s.dialog());
    }

    void killedProgramsReclaim_isToldAndLookedAtAnew()
    {
        SimHosts hosts;
        QVERIFY2(hosts.start({u"--scenario"_s, u"demo"_s}), hosts.errors().constData());
        Scene s(hosts.folder());
        QProcess killed;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(u"XDG_STATE_HOME"_s, s.state.path());
        killed.setProcessEnvironment(environment);
        QByteArray said;
        const QStringList command{u"reclaim"_s, u"gpu3"_s, u"--yes"_s, u"--json"_s, u"--grace"_s, u"60"_s};
        for (int tries = 0; tries < 5 && !said.contains("\"step\":\"grace\""); ++tries) { // it may be too young yet
            killed.start(QStringLiteral(PILOTHOUSE_BINARY_DIR "/bin/pilothousectl"),
                         hosts.arguments() + command);
            const auto isInTheGrace = [&] {
                said += killed.readAllStandardOutput();
                return said.contains("\"step\":\"grace\"") || killed.state() == QProcess::NotRunning;
            };
            QTRY_VERIFY2_WITH_TIMEOUT(isInTheGrace(), said.constData(), patience);
        }
        killed.kill();
        killed.waitForFinished();
        const QDir journal(s.stateFolder() + u"/journal"_s);
        QCOMPARE(journal.entryList(QDir::Files).size(), 1);

        const RunReminder reminder(s.window, s.desk, s.stateFolder());
        s.add(hosts.folder(), Access::Confirm);
        const auto *text = s.find<QLabel>(u"interruptedBarText"_s);
        QTRY_VERIFY_WITH_TIMEOUT(text->isVisible(), patience);
        QVERIFY2(text->text().contains(u"was cut off with its program. The last that it told, at "_s),
                 qPrintable(text->text()));
        auto *go = s.find<QPushButton>(u"interruptedBarContinue"_s);
        // They ended by the SIGTERM that had been sent, and the unit that waited for them serves: the host's truth is
        // told, nothing is ended, and the run is no more to be told.
        QTRY_VERIFY2_WITH_TIMEOUT(s.headline().startsWith(u"gpu3 Serving "_s), qPrintable(s.headline()), patience);
        QVERIFY(!text->text().contains(u"restarted"_s));
        QVERIFY(journal.entryList(QDir::Files).size() == 1);
        go->click();
        QTRY_COMPARE_WITH_TIMEOUT(s.dialog()->phase(), ReclaimDialog::Phase::Over, patience);
        QTRY_VERIFY(journal.entryList(QDir::Files).isEmpty());
        QVERIFY(!text->isVisible());
    }
};

PILOTHOUSE_SIM_GUI_TEST_MAIN(TstLiveReclaim)
#include "tst_livereclaim.moc"

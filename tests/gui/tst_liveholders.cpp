// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The window on simulated hosts: who holds the memory of a real host's processes.
#include "app/console/fleetbinding.h"
#include "app/console/incidentexport.h"
#include "core/fleet/inventory.h"
#include "tests/gui/windowfixture.h"
#include "tests/support/simhosts.h"
#include "ui/host/processcolumns.h"
#include "ui/theme/roles.h"
#include "ui/theme/runlabel.h"

#include <QApplication>
#include <QListView>
#include <QProcess>
#include <QSignalSpy>
#include <QTreeView>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int patience = 60'000;

} // namespace

class TstLiveHolders final : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void foundingCase_isTold()
    {
        SimHosts hosts;
        QVERIFY2(hosts.start({u"--scenario"_s, u"demo"_s}), hosts.errors().constData());
        FleetSettings settings;
        settings.sshConfigFile = hosts.folder() + u"/ssh_config"_s;
        settings.consoleId = u"0123456789abcdef0123456789abcdef"_s;
        Theme theme(Theme::Mode::Dark);
        MainWindow window(theme);
        window.resize(1280, 800);
        window.show();
        Fleet fleet(settings);
        FleetBinding binding(fleet, window);
        const Result<Inventory> inventory = loadInventory(hosts.folder());
        QVERIFY(inventory);
        for (const HostSpec &host : inventory->hosts)
            binding.addHost(host);
        window.openHost(u"gpu3"_s);

        const auto headline = [&] {
            for (const RunLabel *label : window.findChildren<RunLabel *>(u"headline"_s)) {
                if (label->isVisible())
                    return label->text();
            }
            return QString();
        };
        // From one look a young orphan may be a server that loads.
        QTRY_VERIFY2_WITH_TIMEOUT(headline().startsWith(u"gpu3 Leftover 754.8 GiB of a vLLM engine whose "_s),
                                  qPrintable(headline()), patience);
        const QTreeView *table = nullptr;
        for (const QTreeView *each : window.findChildren<QTreeView *>(u"processTable"_s)) {
            if (each->isVisible())
                table = each;
        }
        QVERIFY(table);
        int leftovers = 0;
        int ticked = 0;
        int helpers = 0;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            const QString verdict = table->model()->index(row, int(ProcessColumn::Judged)).data().toString();
            const QVariant tick = table->model()->index(row, 0).data(Qt::CheckStateRole);
            leftovers += verdict == u"leftover"_s;
            helpers += verdict == u"helper"_s;
            ticked += tick.isValid() && tick.toInt() == Qt::Checked;
        }
        QCOMPARE(leftovers, 9); // the engine and its eight workers
        QCOMPARE(helpers, 1);
        QCOMPARE(ticked, 9);
        // The others are told without being in view.
        const QAbstractItemModel *list = window.findChild<QListView *>(u"hostList"_s)->model();
        QTRY_COMPARE_WITH_TIMEOUT(list->index(0, 0).data(DetailRole).toString(), u"serving"_s, patience);
        QCOMPARE(list->index(1, 0).data(DetailRole).toString(), u"free"_s);
        QCOMPARE(list->index(2, 0).data(DetailRole).toString(), u"LEFTOVER 755 GiB"_s);

        // What is exported for a post-mortem comes from the host.
        IncidentExport incident(window, fleet);
        QSignalSpy exported(&incident, &IncidentExport::exported);
        const QString file = hosts.folder() + u"/gpu3.tar.gz"_s;
        incident.exportTo(u"gpu3"_s, file);
        QTRY_COMPARE_WITH_TIMEOUT(exported.size(), 1, patience);
        QCOMPARE(exported.at(0).at(1).toString(), QString());
        QProcess tar;
        tar.start(u"tar"_s, {u"-xzOf"_s, file, u"incident/evidence.txt"_s});
        QVERIFY(tar.waitForFinished());
        const QByteArray evidence = tar.readAllStandardOutput();
        QVERIFY2(evidence.count("==== PID ") >= 9, evidence.constData());
    }
};

PILOTHOUSE_SIM_GUI_TEST_MAIN(TstLiveHolders)
#include "tst_liveholders.moc"

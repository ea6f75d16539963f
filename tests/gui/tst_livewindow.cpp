// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/fleetbinding.h"
#include "core/fleet/inventory.h"
#include "tests/gui/windowfixture.h"
#include "tests/support/skip.h"
#include "tests/support/sshdserver.h"
#include "tests/support/testmain.h"
#include "ui/theme/runlabel.h"

#include <QApplication>
#include <QCheckBox>
#include <QDialog>
#include <QFile>
#include <QProcess>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeView>
#include <QTreeWidget>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

constexpr int patience = 30'000;

/// One simulated host behind a real SSH server.
struct SimulatedHost
{
    SimulatedHost()
    {
        process.start(QStringLiteral(PILOTHOUSE_BINARY_DIR) + u"/bin/pilothouse-simhost"_s,
                      {u"--scenario"_s, u"plain"_s, u"--or-fast"_s, u"--dir"_s, folder.path()});
        isReady = process.waitForReadyRead(patience) && process.readLine().contains("\"ready\":true");
    }
    ~SimulatedHost()
    {
        process.closeWriteChannel();
        process.waitForFinished(patience);
    }

    QTemporaryDir folder;
    QProcess process;
    bool isReady = false;
};

} // namespace

class TstLiveWindow : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void unknownKey_askedAcceptedAndLive()
    {
        SimulatedHost host;
        if (!host.isReady)
            PILOTHOUSE_SKIP("the simulated host did not start");
        QTemporaryDir own;
        FleetSettings settings;
        settings.sshConfigFile = host.folder.filePath(u"ssh_config"_s);
        settings.knownHostsFile = own.filePath(u"known_hosts"_s);
        settings.consoleId = u"0123456789abcdef0123456789abcdef"_s;
        Theme theme(Theme::Mode::Dark);
        MainWindow window(theme);
        window.show();
        Fleet fleet(settings);
        FleetBinding binding(fleet, window);
        const Result<Inventory> inventory = loadInventory(host.folder.path());
        QVERIFY(inventory);
        binding.addHost(inventory->hosts.first());
        QCOMPARE(window.currentHost(), u"gpu1"_s);

        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QPushButton *>(u"hostKeyAccept"_s), patience);
        QVERIFY(!QFile::exists(settings.knownHostsFile));
        QTest::keyClick(window.findChild<QPushButton *>(u"hostKeyAccept"_s), Qt::Key_Space);
        const auto gpus = [&] { return window.findChild<QTreeView *>(u"gpuTable"_s)->model()->rowCount(); };
        QTRY_COMPARE_WITH_TIMEOUT(gpus(), 8, patience);
        QVERIFY(QFile::exists(settings.knownHostsFile));
        QVERIFY(window.findChild<RunLabel *>(u"headline"_s)->text().contains(u"GiB"_s));
        QVERIFY(binding.isSettled());
        QVERIFY(!binding.firstFailure());
    }

    void unknownKeys_ofManyHostsAreOneList()
    {
        SshdServer server({u"MaxStartups 100"_s});
        QVERIFY2(server.start(), qPrintable(server.error()));
        constexpr int hosts = 12;
        const QByteArray block = readFile(server.path(u"ssh_config"_s));
        QByteArray blocks;
        for (int i = 1; i <= hosts; ++i) // each a host of its own to known_hosts
            blocks += QByteArray(block)
                          .replace("Host gpu_01\n", "Host gpu%\n  HostKeyAlias gpu%\n")
                          .replace('%', QByteArray::number(i));
        QVERIFY(writeFile(server.path(u"ssh_config"_s), blocks));
        FleetSettings settings;
        settings.sshConfigFile = server.path(u"ssh_config"_s);
        settings.knownHostsFile = server.path(u"new_hosts"_s);
        settings.consoleId = u"0123456789abcdef0123456789abcdef"_s;
        Theme theme(Theme::Mode::Dark);
        MainWindow window(theme);
        window.show();
        Fleet fleet(settings);
        FleetBinding binding(fleet, window);
        for (int i = 1; i <= hosts; ++i) {
            HostSpec host;
            host.name = u"gpu%1"_s.arg(i);
            binding.addHost(host);
        }
        const auto rows = [&] {
            const auto *table = window.findChild<QTreeWidget *>(u"hostKeysTable"_s);
            return table ? table->topLevelItemCount() : 0;
        };
        QTRY_COMPARE_WITH_TIMEOUT(rows(), hosts, patience);
        QCOMPARE(window.findChildren<QDialog *>(u"hostKeyListDialog"_s).size(), 1);
        QVERIFY(!window.findChild<QDialog *>(u"hostKeyDialog"_s));
        QTest::mouseClick(window.findChild<QPushButton *>(u"hostKeysAll"_s), Qt::LeftButton);
        window.findChild<QCheckBox *>(u"hostKeysCompared"_s)->setChecked(true);
        QTest::mouseClick(window.findChild<QPushButton *>(u"hostKeysTrust"_s), Qt::LeftButton);
        const auto stored = [&] { return readFile(settings.knownHostsFile).count('\n'); };
        QTRY_COMPARE_WITH_TIMEOUT(stored(), hosts, patience);
        QTRY_COMPARE_WITH_TIMEOUT(server.log().count("Accepted publickey"), hosts, patience);
        QVERIFY(!window.findChild<QDialog *>(u"hostKeyDialog"_s));
    }

    void unknownKey_declined()
    {
        SimulatedHost host;
        if (!host.isReady)
            PILOTHOUSE_SKIP("the simulated host did not start");
        QTemporaryDir own;
        FleetSettings settings;
        settings.sshConfigFile = host.folder.filePath(u"ssh_config"_s);
        settings.knownHostsFile = own.filePath(u"known_hosts"_s);
        settings.consoleId = u"0123456789abcdef0123456789abcdef"_s;
        Theme theme(Theme::Mode::Dark);
        MainWindow window(theme);
        window.show();
        Fleet fleet(settings);
        FleetBinding binding(fleet, window);
        binding.addHost(loadInventory(host.folder.path())->hosts.first());
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QDialog *>(u"hostKeyDialog"_s), patience);
        QTest::keyClick(window.findChild<QDialog *>(u"hostKeyDialog"_s), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(window.findChild<QPushButton *>(u"retryButton"_s)->isVisible(), patience);
        QVERIFY(!QFile::exists(settings.knownHostsFile));
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstLiveWindow)
#include "tst_livewindow.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/inventoryfollower.h"

#include "tests/gui/inventoryscene.h"
#include "tests/support/testmain.h"
#include "ui/theme/runlabel.h"
#include "ui/window/inventorynotice.h"

#include <QPlainTextEdit>
#include <QPushButton>
#include <QToolButton>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

struct Scene : InventoryScene
{
    explicit Scene(bool readOnly = false)
        : follower(*fixture.window, *binding, folder.path(), readOnly)
    {
        follower.start(readInventory(folder.path()));
        QTest::qWait(700); // the second reading, with all watches in place
    }
    [[nodiscard]] bool isSaid() const { return fixture.window->findChild<InventoryNotice *>()->isVisible(); }
    [[nodiscard]] QString said() const { return fixture.window->findChild<RunLabel *>(u"inventoryWords"_s)->text(); }

    InventoryFollower follower;
};

} // namespace

class TstInventoryFollower : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void changedOnDisk_isAppliedAndSaid()
    {
        Scene scene;
        QVERIFY(!scene.isSaid());
        const HostLink *a = scene.fleet->link(u"a"_s);
        const HostLink *c = scene.fleet->link(u"c"_s);
        QSignalSpy removed(scene.fleet.get(), &Fleet::hostRemoved);
        QByteArray text = InventoryScene::text;
        text.replace("name = \"a\"", "name = \"a\"\nexpected_gpus = 8");
        text.replace("name = \"b\"\nssh = \"127.0.0.1:1\"", "name = \"d\"\nssh = \"127.0.0.1:1\"");
        scene.write(u"hosts.toml"_s, text);
        QTRY_COMPARE(scene.hosts(), (QStringList{u"c"_s, u"a"_s, u"d"_s}));
        QTRY_VERIFY(scene.isSaid());
        QVERIFY2(scene.said().endsWith(u"d added; b removed; a: expected_gpus: none → 8"_s), qPrintable(scene.said()));
        // The links of a and c are the same, that of b is gone.
        QCOMPARE(scene.fleet->link(u"a"_s), a);
        QCOMPARE(scene.fleet->link(u"c"_s), c);
        QCOMPARE(removed.count(), 1);
        QCOMPARE(a->spec().expectedGpus, 8);
        scene.settle();
        scene.fixture.find<QToolButton>(u"inventoryClose"_s)->click();
        QVERIFY(!scene.isSaid());
    }

    void onlyWhatConcernsTheConnection_connectsAnew_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<bool>("anew");
        QTest::newRow("tags") << QByteArray("tags = [\"x\"]") << false;
        QTest::newRow("access") << QByteArray("access = \"normal\"") << false;
        QTest::newRow("threshold") << QByteArray("threshold_mib = 5") << false;
        QTest::newRow("service") << QByteArray("[[host.service]]\nname = \"s\"\nunit = \"s\"") << false;
        QTest::newRow("sudo") << QByteArray("sudo = \"nopasswd\"") << true;
    }

    void onlyWhatConcernsTheConnection_connectsAnew()
    {
        QFETCH(const QByteArray, line);
        QFETCH(const bool, anew);
        Scene scene;
        QSignalSpy added(scene.fleet.get(), &Fleet::hostAdded);
        scene.write(u"hosts.toml"_s, InventoryScene::text + line + '\n');
        QTRY_VERIFY(scene.isSaid());
        QCOMPARE(added.count(), anew ? 1 : 0);
        QCOMPARE(scene.fleet->link(u"b"_s)->spec(), scene.fixture.window->store().find(u"b"_s)->spec);
        scene.settle();
    }

    void broken_keepsTheHostsAndSaysWhere()
    {
        Scene scene;
        scene.write(u"shared.toml"_s, InventoryScene::sharedText + "acess = 1\nsudo = 2\n");
        QTRY_VERIFY(scene.isSaid());
        QVERIFY2(scene.said().contains(u"shared.toml:4:1: unknown key \"acess\""_s), qPrintable(scene.said()));
        QCOMPARE(scene.hosts().size(), 3);
        QVERIFY(!scene.fixture.find<QToolButton>(u"inventoryClose"_s)->isVisible()); // as long as it is broken
        scene.fixture.find<QPushButton>(u"inventoryDetails"_s)->click();
        const QString details = scene.fixture.find<QPlainTextEdit>(u"inventoryDetailsDialogText"_s)->toPlainText();
        QVERIFY2(details.contains(u"shared.toml:5:8"_s), qPrintable(details)); // all mistakes
        scene.write(u"shared.toml"_s, InventoryScene::sharedText);
        QTRY_VERIFY(scene.said().contains(u"can be read again"_s));
        QVERIFY(scene.fixture.find<QToolButton>(u"inventoryClose"_s)->isVisible());
    }

    void whatTheWindowShowsAlready_isNoNews()
    {
        Scene scene;
        HostSpec host;
        host.name = u"d"_s;
        host.ssh = u"127.0.0.1:1"_s;
        const Result<Inventory> saved = appendHost(scene.folder.path(), host);
        QVERIFY(saved);
        scene.binding->addHost(saved->hosts.last());
        scene.settle();
        QTest::qWait(900);
        QVERIFY2(!scene.isSaid(), qPrintable(scene.said()));
    }

    void readOnlyConsole_staysSo()
    {
        Scene scene(true);
        scene.write(u"hosts.toml"_s, InventoryScene::text + "access = \"normal\"\n");
        QTRY_VERIFY(scene.isSaid());
        QCOMPARE(scene.fixture.window->store().find(u"b"_s)->spec.access, Access::ReadOnly);
    }

    void manyHosts_areCounted()
    {
        InventoryDifference difference;
        difference.added = QStringList{u"a"_s, u"b"_s, u"c"_s, u"d"_s};
        difference.removed = QStringList{u"e"_s};
        difference.changed = {{u"f"_s, {u"access: confirm → normal"_s}}, {u"g"_s, {u"ssh: a → b"_s}}};
        QCOMPARE(headlineOf(difference), u"4 hosts added; e removed; f, g changed"_s);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstInventoryFollower)
#include "tst_inventoryfollower.moc"

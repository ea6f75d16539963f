// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/hosteditor.h"

#include "tests/gui/inventoryscene.h"
#include "tests/support/testmain.h"
#include "ui/dialogs/edithostdialog.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

struct Scene : InventoryScene
{
    explicit Scene(bool readOnly = false)
        : editor(fixture.theme, *fixture.window, *binding, folder.path(), readOnly)
    {
    }
    void open(const QString &name)
    {
        editor.edit(name);
        QTRY_VERIFY(dialog());
    }
    [[nodiscard]] EditHostDialog *dialog() const { return fixture.window->findChild<EditHostDialog *>(); }
    template <class T = QLineEdit>
    [[nodiscard]] T *field(const QString &name) const
    {
        return fixture.find<T>(name);
    }
    void type(const QString &name, const QString &words) const
    {
        field(name)->selectAll();
        QTest::keyClicks(field(name), words);
    }
    void choose(const QString &name, int row) const { field<QComboBox>(name)->setCurrentIndex(row); }
    void click(const QString &name) const { QTest::keyClick(field<QPushButton>(name), Qt::Key_Space); }
    [[nodiscard]] QString message() const { return field<QLabel>(u"editHostMessage"_s)->text(); }
    /// Save, then Escape and another host before the file is written.
    void saveAndTurnTo(const QString &name)
    {
        const QPointer<EditHostDialog> left = dialog();
        click(u"editHostSave"_s);
        left->reject();
        QCoreApplication::sendPostedEvents(left, QEvent::DeferredDelete);
        QVERIFY(!left);
        editor.edit(name); // of a file that is not ours: no reading comes first
        QVERIFY(dialog());
    }

    HostEditor editor;
};

} // namespace

class TstHostEditor : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void saved_isSplicedIntoTheFileAndShown()
    {
        Scene scene;
        scene.open(u"a"_s);
        HostLink *link = scene.fleet->link(u"a"_s);
        scene.type(u"editHostTags"_s, u"prod,  rack-3"_s);
        scene.choose(u"editHostAccess"_s, 2);
        scene.field<QSpinBox>(u"editHostGpus"_s)->setValue(8);
        scene.field<QSpinBox>(u"editHostThreshold"_s)->setValue(500);
        scene.click(u"serviceAdd"_s);
        scene.type(u"serviceName"_s, u"kimi"_s);
        QVERIFY(!scene.field<QPushButton>(u"editHostSave"_s)->isEnabled()); // it has no unit yet
        scene.type(u"serviceUnit"_s, u"kimi.service"_s);
        scene.type(u"serviceGpus"_s, u"0,1"_s);
        QCOMPARE(scene.message(), QString());
        scene.click(u"editHostSave"_s);
        QTRY_VERIFY(!scene.dialog());
        QByteArray wanted = InventoryScene::text;
        wanted.replace("name = \"a\"\nssh = \"127.0.0.1:1\"\n",
                       "name = \"a\"\nssh = \"127.0.0.1:1\"\ntags = [\"prod\", \"rack-3\"]\naccess = \"normal\"\n"
                       "expected_gpus = 8\nthreshold_mib = 500\n\n"
                       "[[host.service]]\nname = \"kimi\"\nunit = \"kimi.service\"\ngpus = [0, 1]\n");
        QCOMPARE(scene.read(u"hosts.toml"_s), wanted);
        const HostSpec &shown = scene.fixture.window->store().find(u"a"_s)->spec;
        QCOMPARE(shown.expectedGpus, 8);
        QCOMPARE(shown.services.size(), 1);
        QCOMPARE(scene.fleet->link(u"a"_s), link); // nothing of the connection
        QCOMPARE(link->spec(), shown);
    }

    void renamed_isTheSameHostInTheWindow()
    {
        Scene scene;
        scene.fixture.window->openHost(u"b"_s);
        scene.open(u"b"_s);
        scene.type(u"editHostName"_s, u"a"_s);
        QVERIFY(scene.message().contains(u"taken"_s));
        scene.type(u"editHostName"_s, u"new"_s);
        scene.click(u"editHostSave"_s);
        QTRY_COMPARE(scene.hosts(), (QStringList{u"c"_s, u"a"_s, u"new"_s}));
        QCOMPARE(scene.fixture.window->currentHost(), u"new"_s);
        QCOMPARE(scene.read(u"hosts.toml"_s), QByteArray(InventoryScene::text).replace("\"b\"", "\"new\""));
        scene.settle();
    }

    void target_connectsAnew()
    {
        Scene scene;
        scene.open(u"b"_s);
        scene.type(u"editHostSsh"_s, u"root@127.0.0.1:1"_s);
        scene.click(u"editHostSave"_s);
        QTRY_VERIFY(!scene.dialog());
        QTRY_COMPARE(scene.fleet->link(u"b"_s)->spec().ssh, u"root@127.0.0.1:1"_s);
        scene.settle();
    }

    void cancelled_changesNothing()
    {
        Scene scene;
        scene.open(u"a"_s);
        scene.type(u"editHostTags"_s, u"x"_s);
        QTest::keyClick(scene.dialog(), Qt::Key_Escape);
        QTRY_VERIFY(!scene.dialog());
        QCOMPARE(scene.read(u"hosts.toml"_s), InventoryScene::text);
    }

    void included_isShownWithTheReasonAndCannotBeEdited()
    {
        Scene scene;
        scene.open(u"c"_s);
        const QString reason = scene.field<QLabel>(u"editHostReason"_s)->text();
        QVERIFY2(reason.contains(scene.folder.filePath(u"shared.toml"_s)), qPrintable(reason));
        QVERIFY(!scene.field<QPushButton>(u"editHostSave"_s)->isVisible());
        QVERIFY(scene.field(u"editHostName"_s)->isReadOnly());
        QVERIFY(!scene.field<QComboBox>(u"editHostAccess"_s)->isEnabled());
        QVERIFY(!scene.field<QPushButton>(u"serviceAdd"_s)->isVisible());
        QVERIFY(scene.field(u"serviceHealth"_s)->isReadOnly());
        QVERIFY(scene.field(u"serviceHealth"_s)->placeholderText().isEmpty());
        QTest::keyClick(scene.dialog(), Qt::Key_Escape);
        QTRY_VERIFY(!scene.dialog());
    }

    void changedMeanwhile_saysHowAndLosesNothing()
    {
        Scene scene;
        scene.open(u"b"_s);
        scene.field<QSpinBox>(u"editHostGpus"_s)->setValue(4);
        const QByteArray theirs =
            "# by hand\n"
            + QByteArray(InventoryScene::text).replace("name = \"b\"", "name = \"b\"\naccess = \"normal\"");
        scene.write(u"hosts.toml"_s, theirs);
        scene.click(u"editHostSave"_s);
        QTRY_VERIFY(scene.message().contains(u"access: confirm → normal"_s));
        QCOMPARE(scene.read(u"hosts.toml"_s), theirs);
        QCOMPARE(scene.field<QSpinBox>(u"editHostGpus"_s)->value(), 4);            // mine is kept
        QCOMPARE(scene.field<QComboBox>(u"editHostAccess"_s)->currentIndex(), 2); // theirs is taken over
        scene.click(u"editHostSave"_s);
        QTRY_VERIFY(!scene.dialog());
        QCOMPARE(scene.read(u"hosts.toml"_s), theirs + "expected_gpus = 4\n");
    }

    void refusedValue_isSaidInTheDialog()
    {
        Scene scene;
        scene.open(u"a"_s);
        scene.click(u"serviceAdd"_s);
        scene.type(u"serviceName"_s, u"s"_s);
        scene.type(u"serviceUnit"_s, u"s"_s);
        scene.type(u"serviceHealth"_s, u"8000"_s);
        scene.click(u"editHostSave"_s);
        QTRY_VERIFY2(scene.message().contains(u"expected a URL"_s), qPrintable(scene.message()));
        QVERIFY(scene.field<QPushButton>(u"editHostSave"_s)->isEnabled());
        QCOMPARE(scene.read(u"hosts.toml"_s), InventoryScene::text);
    }

    void savedAfterItsDialog_leavesTheNextOneOpen()
    {
        Scene scene;
        scene.open(u"a"_s);
        scene.type(u"editHostTags"_s, u"late"_s);
        scene.saveAndTurnTo(u"c"_s);
        const QPointer<EditHostDialog> next = scene.dialog();
        QTRY_COMPARE(scene.fixture.window->store().find(u"a"_s)->spec.tags, QStringList{u"late"_s});
        QTest::qWait(0);
        QVERIFY(next && next->isVisible());
        QCOMPARE(scene.field(u"editHostName"_s)->text(), u"c"_s);
        next->reject();
    }

    void refusedAfterItsDialog_isSaidOutsideTheNextOne()
    {
        Scene scene;
        scene.open(u"a"_s);
        scene.click(u"serviceAdd"_s);
        scene.type(u"serviceName"_s, u"s"_s);
        scene.type(u"serviceUnit"_s, u"s"_s);
        scene.type(u"serviceHealth"_s, u"8000"_s);
        scene.saveAndTurnTo(u"c"_s);
        QTRY_VERIFY(scene.fixture.find(u"failureDialog"_s));
        const QString said = scene.field<QPlainTextEdit>(u"failureDialogText"_s)->toPlainText();
        QVERIFY2(said.contains(u"expected a URL"_s), qPrintable(said));
        QCOMPARE(scene.message(), QString());
        scene.dialog()->reject();
    }

    void removedService_goesFromTheFile()
    {
        Scene scene;
        const QByteArray service = "\n[[host.service]]\nname = \"s\"\nunit = \"s\"\n";
        scene.write(u"hosts.toml"_s, InventoryScene::text + service + QByteArray(service).replace("\"s\"", "\"t\""));
        scene.open(u"b"_s);
        QCOMPARE(scene.field<QListWidget>(u"serviceList"_s)->count(), 2);
        QCOMPARE(scene.field(u"serviceName"_s)->text(), u"s"_s);
        scene.click(u"serviceRemove"_s);
        QCOMPARE(scene.field(u"serviceName"_s)->text(), u"t"_s);
        scene.click(u"editHostSave"_s);
        QTRY_VERIFY(!scene.dialog());
        QCOMPARE(scene.read(u"hosts.toml"_s), InventoryScene::text + QByteArray(service).replace("\"s\"", "\"t\""));
    }

    void readOnlyConsole_editsTheFileAndStaysReadOnly()
    {
        Scene scene(true);
        scene.open(u"a"_s);
        scene.choose(u"editHostAccess"_s, 2);
        scene.click(u"editHostSave"_s);
        QTRY_VERIFY(!scene.dialog());
        QVERIFY(scene.read(u"hosts.toml"_s).contains("access = \"normal\""));
        QCOMPARE(scene.fixture.window->store().find(u"a"_s)->spec.access, Access::ReadOnly);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstHostEditor)
#include "tst_hosteditor.moc"

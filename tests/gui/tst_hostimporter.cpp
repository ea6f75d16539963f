// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Hosts → Import…, from the menu to the file, with real files and real links that fail at once.
#include "app/console/hostimporter.h"

#include "tests/gui/inventoryscene.h"
#include "tests/support/testmain.h"
#include "ui/dialogs/importdialog.h"

#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QTreeWidget>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

struct Scene : InventoryScene
{
    Scene()
    {
        write(u"ssh_config"_s, "Host gpu1 gpu2 a *.lan\n  HostName 127.0.0.1\n  Port 1\n");
        write(u"hosts.ini"_s,
              "[gpu]\nn[1:2] ansible_host=127.0.0.1 ansible_port=1\n<b>w</b> ansible_connection=winrm\n");
    }
    void open() const
    {
        fixture.press(Qt::Key_I, Qt::ControlModifier);
        QTRY_COMPARE(rows().size(), 3);
    }
    [[nodiscard]] ImportDialog *dialog() const { return fixture.window->findChild<ImportDialog *>(u"importDialog"_s); }
    /// "x gpu1 | gpu1 |  | " a row; "x" with, "-" without a check mark, "o" where it cannot be chosen.
    [[nodiscard]] QStringList rows() const
    {
        QStringList lines;
        const auto *tree = dialog() ? dialog()->findChild<QTreeWidget *>(u"importHosts"_s) : nullptr;
        for (int row = 0; tree && row < tree->topLevelItemCount(); ++row) {
            const QTreeWidgetItem *item = tree->topLevelItem(row);
            QStringList cells;
            for (int column = 0; column < 4; ++column)
                cells << item->text(column);
            const QString mark = item->isDisabled() ? u"o "_s : item->checkState(0) == Qt::Checked ? u"x "_s : u"- "_s;
            lines << mark + cells.join(u" | "_s);
        }
        return lines;
    }
    [[nodiscard]] QTreeWidgetItem *row(int number) const
    {
        return dialog()->findChild<QTreeWidget *>(u"importHosts"_s)->topLevelItem(number);
    }
    [[nodiscard]] QString summary() const { return dialog()->findChild<QLabel *>(u"importSummary"_s)->text(); }
    [[nodiscard]] QString message() const { return dialog()->findChild<QLabel *>(u"importMessage"_s)->text(); }
    void submit() const { QTest::mouseClick(dialog()->findChild<QPushButton *>(u"importImport"_s), Qt::LeftButton); }

    HostImporter importer{fixture.theme, *fixture.window, *binding, folder.path(), folder.filePath(u"ssh_config"_s)};
};

} // namespace

class TstHostImporter : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void ssh_showsWhatIsNewAndImportsWhatIsChosen()
    {
        const Scene scene;
        scene.open();
        const QStringList rows{u"x gpu1 | gpu1 |  | "_s, u"x gpu2 | gpu2 |  | "_s,
                               u"o a | a |  | In %1 already"_s.arg(scene.folder.filePath(u"hosts.toml"_s))};
        QCOMPARE(scene.rows(), rows);
        QVERIFY2(
            scene.summary().startsWith(u"2 of 3 hosts will be imported, read-only, in imported/ssh-config.toml."_s),
            qPrintable(scene.summary()));
        scene.row(1)->setCheckState(0, Qt::Unchecked);
        QVERIFY(scene.summary().startsWith(u"1 of 3 hosts"_s));
        scene.submit();
        QTRY_COMPARE(scene.hosts(), (QStringList{u"c"_s, u"a"_s, u"b"_s, u"gpu1"_s}));
        QTRY_VERIFY(!scene.dialog());
        const HostSpec &imported = scene.fixture.window->store().find(u"gpu1"_s)->spec;
        QCOMPARE(imported.origin, HostOrigin::Imported);
        QCOMPARE(imported.access, Access::ReadOnly);
        QCOMPARE(scene.read(u"hosts.toml"_s),
                 QByteArray(Scene::text).replace("[\"shared", "[\"imported/ssh-config.toml\", \"shared"));
        scene.settle();
    }

    void savedAfterItsDialog_leavesTheNextOneOpen()
    {
        const Scene scene;
        scene.open();
        const QPointer<ImportDialog> left = scene.dialog();
        scene.submit();
        left->reject();
        QCoreApplication::sendPostedEvents(left, QEvent::DeferredDelete);
        QVERIFY(!left);
        scene.fixture.press(Qt::Key_I, Qt::ControlModifier);
        const QPointer<ImportDialog> next = scene.dialog();
        QVERIFY(next);
        QTRY_VERIFY(scene.hosts().contains(u"gpu1"_s));
        QTest::qWait(0);
        QVERIFY(next && next->isVisible());
        scene.settle();
    }

    void importedAgain_replacesWhatWasImported()
    {
        const Scene scene;
        scene.open();
        scene.submit();
        QTRY_VERIFY(!scene.dialog());
        scene.settle();
        scene.open();
        QCOMPARE(scene.rows().value(0), u"x gpu1 | gpu1 |  | Imported before"_s);
        scene.row(0)->setCheckState(0, Qt::Unchecked);
        scene.submit();
        QTRY_COMPARE(scene.hosts(), (QStringList{u"c"_s, u"a"_s, u"b"_s, u"gpu2"_s}));
        QVERIFY(!scene.fleet->link(u"gpu1"_s));
        QVERIFY(!scene.read(u"imported/ssh-config.toml"_s).contains("gpu1"));
    }

    void ansible_namesWhatIsLeftOut()
    {
        const Scene scene;
        scene.open();
        scene.dialog()->findChild<QRadioButton *>(u"importAnsible"_s)->click();
        QCOMPARE(scene.rows(), QStringList());
        QVERIFY(!scene.dialog()->findChild<QPushButton *>(u"importImport"_s)->isEnabled());
        emit scene.dialog()->ansibleWanted(scene.folder.filePath(u"hosts.ini"_s));
        const QStringList rows{
            u"x n1 | 127.0.0.1:1 | gpu | "_s, u"x n2 | 127.0.0.1:1 | gpu | "_s,
            u"o <b>w</b> |  |  | Left out: It is not reached by SSH (ansible_connection is winrm)."_s};
        QTRY_COMPARE(scene.rows(), rows);
        scene.submit();
        QTRY_COMPARE(scene.hosts(), (QStringList{u"c"_s, u"a"_s, u"b"_s, u"n1"_s, u"n2"_s}));
        QVERIFY(scene.read(u"imported/ansible-hosts.toml"_s).contains("access = \"read-only\""));
        scene.settle();
    }

    void failure_isSaidInTheDialogAndNothingIsWritten()
    {
        const Scene scene;
        scene.open();
        scene.dialog()->findChild<QRadioButton *>(u"importAnsible"_s)->click();
        scene.write(u"bad.yml"_s, "- hosts: all\n");
        emit scene.dialog()->ansibleWanted(scene.folder.filePath(u"bad.yml"_s));
        QTRY_VERIFY2(scene.message().contains(u"bad.yml:1: expected groups by name"_s), qPrintable(scene.message()));
        emit scene.dialog()->ansibleWanted(scene.folder.filePath(u"hosts.ini"_s));
        QTRY_COMPARE(scene.rows().size(), 3);
        scene.write(u"hosts.toml"_s, "[[host]]\nnam = \"x\"\n");
        scene.submit();
        QTRY_VERIFY2(scene.message().contains(u"hosts.toml:"_s), qPrintable(scene.message()));
        QCOMPARE(scene.read(u"imported/ansible-hosts.toml"_s), QByteArray());
        QCOMPARE(scene.hosts(), (QStringList{u"c"_s, u"a"_s, u"b"_s}));
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstHostImporter)
#include "tst_hostimporter.moc"

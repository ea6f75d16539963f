// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/hostremover.h"

#include "tests/gui/inventoryscene.h"
#include "tests/support/testmain.h"

#include <QDialog>
#include <QPlainTextEdit>
#include <QPushButton>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

const QByteArray text = InventoryScene::text;
const QByteArray sharedText = InventoryScene::sharedText;

struct Scene : InventoryScene
{
    Scene()
        : remover(std::make_unique<HostRemover>(*fixture.window, *binding, folder.path()))
    {
    }
    void request(const QString &host) const
    {
        fixture.window->openHost(host);
        fixture.press(Qt::Key_Delete, Qt::ControlModifier);
    }
    void confirm() const { QTest::keyClick(fixture.find<QPushButton>(u"removeHostRemove"_s), Qt::Key_Space); }
    [[nodiscard]] bool asks() const { return fixture.window->findChild<QDialog *>(u"removeHostDialog"_s); }

    std::unique_ptr<HostRemover> remover;
};

} // namespace

class TstHostRemover : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void confirmed_goesFromFileWindowAndFleet()
    {
        const Scene scene;
        scene.request(u"a"_s);
        QTRY_VERIFY(scene.asks());
        QCOMPARE(scene.fixture.find<QPlainTextEdit>(u"removeHostLines"_s)->toPlainText(),
                 u"# the first\n[[host]]\nname = \"a\"\nssh = \"127.0.0.1:1\""_s);
        QCOMPARE(scene.read(u"hosts.toml"_s), text);
        scene.confirm();
        QTRY_COMPARE(scene.hosts(), (QStringList{u"c"_s, u"b"_s}));
        QVERIFY(!scene.fleet->link(u"a"_s));
        QVERIFY(!scene.fixture.window->currentHost().isEmpty());
        QCOMPARE(scene.read(u"hosts.toml"_s), QByteArray("include = [\"shared.toml\"]\n\n"
                                                         "[[host]]\nname = \"b\"\nssh = \"127.0.0.1:1\"\n"));
    }

    void cancelled_staysEverywhere()
    {
        const Scene scene;
        scene.request(u"a"_s);
        QTRY_VERIFY(scene.asks());
        QTest::keyClick(scene.fixture.find<QDialog>(u"removeHostDialog"_s), Qt::Key_Escape);
        QTRY_VERIFY(!scene.asks());
        QCOMPARE(scene.hosts().size(), 3);
        QCOMPARE(scene.read(u"hosts.toml"_s), text);
    }

    void included_isSaidAndKept()
    {
        const Scene scene;
        scene.request(u"c"_s);
        QTRY_VERIFY(scene.fixture.find(u"failureDialog"_s));
        const QString said = scene.fixture.find<QPlainTextEdit>(u"failureDialogText"_s)->toPlainText();
        QVERIFY2(said.contains(u"shared.toml"_s), qPrintable(said));
        QVERIFY(!scene.asks());
        QCOMPARE(scene.hosts().size(), 3);
        QCOMPARE(scene.read(u"shared.toml"_s), sharedText);
    }

    void changedWhileAsked_isSaidAndKept()
    {
        const Scene scene;
        scene.request(u"b"_s);
        QTRY_VERIFY(scene.asks());
        const QByteArray changed = QByteArray(text).replace("name = \"b\"", "name = \"b\"\naccess = \"normal\"");
        scene.write(u"hosts.toml"_s, changed);
        scene.confirm();
        QTRY_VERIFY(scene.fixture.find(u"failureDialog"_s));
        QCOMPARE(scene.hosts().size(), 3);
        QCOMPARE(scene.read(u"hosts.toml"_s), changed);
    }

    void typed_goesFromTheWindowOnly()
    {
        const Scene scene;
        HostSpec typed = spec(u"127.0.0.1:1"_s);
        scene.binding->addHost(typed);
        scene.settle();
        scene.request(typed.name);
        QTRY_VERIFY(scene.asks());
        QVERIFY(!scene.fixture.window->findChild<QPlainTextEdit *>(u"removeHostLines"_s));
        scene.confirm();
        QTRY_COMPARE(scene.hosts().size(), 3);
        QCOMPARE(scene.read(u"hosts.toml"_s), text);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstHostRemover)
#include "tst_hostremover.moc"

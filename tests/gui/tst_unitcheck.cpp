// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The unit check in the window: which unit, what was found, what can be copied, what is said when there is nothing.
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"
#include "ui/units/unitcheckdialog.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

const QList<ServiceSpec> services{{u"vllm"_s, u"vllm.service"_s, false, {}, {}, {}, {}, {}},
                                  {u"mine"_s, u"mine.service"_s, true, {}, {}, {}, {}, {}}};

QList<UnitFinding> findings()
{
    const QString path = u"/etc/systemd/system/vllm.service"_s;
    return checkUnit(readUnitText("# /etc/systemd/system/vllm.service\n[Service]\n"
                                  "ExecStart=/bin/sh -c 'x=1; vllm serve \"<b>${x}</b>\"'\nKillMode=process\n",
                                  {path}),
                     {});
}

struct Scene
{
    explicit Scene(const QList<ServiceSpec> &known = services)
        : dialog(new UnitCheckDialog(fixture.theme, u"gpu1"_s, known, fixture.window.get()))
        , asked(dialog, &UnitCheckDialog::checkRequested)
    {
        dialog->open();
    }
    template <class T>
    [[nodiscard]] T *find(const QString &name) const
    {
        return dialog->findChild<T *>(name);
    }
    [[nodiscard]] QStringList texts(const QString &name) const
    {
        QStringList texts;
        for (const QLabel *label : dialog->findChildren<QLabel *>(name))
            texts += label->text();
        return texts;
    }

    WindowFixture fixture;
    UnitCheckDialog *dialog;
    QSignalSpy asked;
};

} // namespace

class TstUnitCheck final : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void command_isOfferedWhileConnected()
    {
        WindowFixture w;
        QSignalSpy wanted(w.window.get(), &MainWindow::unitCheckRequested);
        w.window->addHost(spec(u"gpu1"_s));
        QVERIFY(!w.action(u"host.checkUnit"_s)->isEnabled());
        w.window->setState(u"gpu1"_s, connected());
        w.action(u"host.checkUnit"_s)->trigger();
        QCOMPARE(wanted.value(0).value(0).toString(), u"gpu1"_s);
    }

    void firstService_isAskedForAtOnce_andAnotherOnChoice()
    {
        const Scene scene;
        scene.dialog->begin();
        QCOMPARE(scene.asked.value(0), (QVariantList{u"vllm.service"_s, false}));
        auto *choice = scene.find<QComboBox>(u"unitCheckUnit"_s);
        choice->setCurrentIndex(1);
        scene.find<QPushButton>(u"unitCheckGo"_s)->click();
        QCOMPARE(scene.asked.value(1), (QVariantList{u"mine.service"_s, true}));
        choice->setEditText(u"other"_s);
        scene.find<QPushButton>(u"unitCheckGo"_s)->click();
        QCOMPARE(scene.asked.value(2), (QVariantList{u"other.service"_s, false}));
        QVERIFY(!scene.find<QPushButton>(u"unitCheckCopy"_s)->isEnabled());
    }

    void noUnitOrABadName_isAskedForInWords()
    {
        const Scene scene(QList<ServiceSpec>{});
        scene.dialog->begin();
        QVERIFY(scene.texts(u"findingWords"_s).value(0).contains(u"gpu1"_s));
        scene.find<QComboBox>(u"unitCheckUnit"_s)->setEditText(u"a;b"_s);
        scene.dialog->begin();
        QCOMPARE(scene.asked.size(), 0);
    }

    void findings_areShownPlainAndCanBeCopied()
    {
        const Scene scene;
        scene.dialog->begin();
        scene.dialog->showFindings(findings());
        QCOMPARE(scene.texts(u"findingHead"_s), (QStringList{u"Error  /etc/systemd/system/vllm.service:2"_s,
                                                             u"Error  /etc/systemd/system/vllm.service:3"_s}));
        QCOMPARE(scene.texts(u"findingSuggestion"_s),
                 (QStringList{u"ExecStart=/bin/sh -c 'x=1; vllm serve \"<b>$${x}</b>\"'"_s, u"KillMode=mixed"_s}));
        for (const QLabel *label : scene.dialog->findChildren<QLabel *>())
            QVERIFY(label->pixmap().isNull()
                        ? label->text().isEmpty() || label->textFormat() == Qt::PlainText || label->buddy()
                        : true);
        scene.dialog->findChildren<QPushButton *>(u"findingCopy"_s).last()->click();
        QCOMPARE(QGuiApplication::clipboard()->text(), u"KillMode=mixed"_s);
        scene.find<QPushButton>(u"unitCheckCopy"_s)->click();
        QVERIFY(QGuiApplication::clipboard()->text().startsWith(u"vllm.service: 2 errors\n"_s));
    }

    void nothingFound_andTrouble_areSaid()
    {
        const Scene scene;
        scene.dialog->begin();
        scene.dialog->showFindings({});
        QVERIFY(scene.texts(u"findingWords"_s).value(0).startsWith(u"No finding"_s));
        QVERIFY(scene.texts(u"findingHead"_s).isEmpty());
        scene.dialog->showTrouble(u"The host has no unit <i>."_s);
        QCOMPARE(scene.texts(u"findingWords"_s), QStringList{u"The host has no unit <i>."_s});
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstUnitCheck)
#include "tst_unitcheck.moc"

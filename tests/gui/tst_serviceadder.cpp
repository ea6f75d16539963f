// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Services that were found go into hosts.toml, below their host; all other bytes stay.
#include "app/console/serviceadder.h"

#include "tests/gui/inventoryscene.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

struct Scene : InventoryScene
{
    void add(const QString &host, const QStringList &units) const
    {
        QList<ServiceSpec> services;
        for (const QString &unit : units) {
            ServiceSpec service;
            service.unit = unit;
            service.name = unit.section(u'.', 0, 0);
            services << service;
        }
        emit fixture.window->servicesWanted(host, services);
    }
    [[nodiscard]] QStringList namesOf(const QString &host) const
    {
        QStringList names;
        for (const ServiceSpec &service : fixture.window->store().find(host)->spec.services)
            names << service.name;
        return names;
    }

    ServiceAdder adder{*fixture.window, *binding, folder.path()};
};

} // namespace

class TstServiceAdder : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void added_standsBelowItsHost()
    {
        const Scene scene;
        scene.add(u"a"_s, {u"kimi.service"_s});
        QTRY_COMPARE(scene.namesOf(u"a"_s), QStringList{u"kimi"_s});
        const QByteArray now = scene.read(u"hosts.toml"_s);
        const qsizetype service = now.indexOf("unit = \"kimi.service\"");
        QVERIFY2(service > now.indexOf("name = \"a\"") && service < now.indexOf("name = \"b\""), now.constData());
        QVERIFY(now.startsWith(Scene::text.left(Scene::text.indexOf("[[host]]\nname = \"b\"")).trimmed()));
        scene.settle();
    }

    void takenName_becomesThatOfTheUnit()
    {
        const Scene scene;
        scene.add(u"a"_s, {u"kimi.service"_s});
        QTRY_COMPARE(scene.namesOf(u"a"_s).size(), 1);
        scene.add(u"a"_s, {u"kimi.timer"_s});
        QTRY_COMPARE(scene.namesOf(u"a"_s), (QStringList{u"kimi"_s, u"kimi.timer"_s}));
        scene.settle();
    }

    void hostOfAnotherFile_staysAsItIs()
    {
        const Scene scene;
        scene.add(u"c"_s, {u"kimi.service"_s});
        QTRY_VERIFY(scene.fixture.window->findChild<QWidget *>(u"failureDialog"_s));
        QCOMPARE(scene.read(u"shared.toml"_s), Scene::sharedText);
        QCOMPARE(scene.read(u"hosts.toml"_s), Scene::text);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstServiceAdder)
#include "tst_serviceadder.moc"

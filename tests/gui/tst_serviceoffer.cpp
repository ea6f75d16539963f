// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// The line that offers services which are not written down.
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"

#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

Snapshot withUnits(Snapshot snapshot, const QStringList &units)
{
    for (qsizetype i = 0; i < snapshot.processes->size(); ++i) {
        Process &process = (*snapshot.processes)[i];
        process.owner = Owner{Owner::Kind::Unit, units.at(i % units.size())};
    }
    return snapshot;
}

struct Scene
{
    explicit Scene(HostOrigin origin, const QStringList &units, const QStringList &written = {})
    {
        HostSpec host = spec(u"gpu1"_s);
        host.origin = origin;
        host.source = u"/home/op/hosts.toml"_s;
        host.services.clear();
        for (const QString &unit : written) {
            ServiceSpec service;
            service.unit = unit;
            service.name = unit;
            host.services << service;
        }
        fixture.window->addHost(host);
        fixture.window->setState(u"gpu1"_s, connected());
        show(units);
    }
    void show(const QStringList &units) const
    {
        fixture.window->addSnapshot(u"gpu1"_s, shared(withUnits(servingHost(u"gpu1"_s), units)));
        QTest::qWait(1);
    }
    [[nodiscard]] bool isOffered() const { return fixture.find(u"serviceOffer"_s)->isVisible(); }
    [[nodiscard]] QString text() const { return fixture.find<QLabel>(u"serviceOfferText"_s)->text(); }

    WindowFixture fixture;
};

} // namespace

class TstServiceOffer : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void found_isSaidAndAdded()
    {
        const Scene scene(HostOrigin::OwnFile, {u"vllm-kimi.service"_s, u"sglang.service"_s});
        QVERIFY(scene.isOffered());
        QCOMPARE(scene.text(),
                 u"2 services were found that are not in hosts.toml: sglang.service, vllm-kimi.service"_s);
        QSignalSpy wanted(scene.fixture.window.get(), &MainWindow::servicesWanted);
        QTest::mouseClick(scene.fixture.find<QPushButton>(u"serviceOfferAdd"_s), Qt::LeftButton);
        QCOMPARE(wanted.size(), 1);
        QCOMPARE(wanted.first().at(0).toString(), u"gpu1"_s);
        const auto services = wanted.first().at(1).value<QList<ServiceSpec>>();
        QCOMPARE(services.size(), 2);
        QCOMPARE(services.first().name, u"sglang"_s);
        scene.show({u"sglang.service"_s});
        QCOMPARE(scene.text(), u"A service was found that is not in hosts.toml: sglang.service"_s);
        const auto *label = scene.fixture.find<QLabel>(u"serviceOfferText"_s);
        QTRY_VERIFY(label->width() > label->fontMetrics().horizontalAdvance(label->text())); // on one line
    }

    void written_isNotOffered()
    {
        const Scene scene(HostOrigin::OwnFile, {u"vllm-kimi.service"_s}, {u"vllm-kimi"_s});
        QVERIFY(!scene.isOffered());
    }

    void hostOfNoOwnFile_isOfferedNothing_data()
    {
        QTest::addColumn<HostOrigin>("origin");
        QTest::newRow("typed") << HostOrigin::Typed;
        QTest::newRow("included") << HostOrigin::Included;
        QTest::newRow("imported") << HostOrigin::Imported;
    }

    void hostOfNoOwnFile_isOfferedNothing()
    {
        QFETCH(const HostOrigin, origin);
        const Scene scene(origin, {u"vllm-kimi.service"_s});
        QVERIFY(!scene.isOffered());
    }

    void many_areCounted()
    {
        const Scene scene(HostOrigin::OwnFile, {u"a.service"_s, u"b.service"_s, u"c.service"_s, u"d.service"_s});
        QVERIFY(scene.text().endsWith(u"a.service, b.service, c.service and 1 more"_s));
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstServiceOffer)
#include "tst_serviceoffer.moc"

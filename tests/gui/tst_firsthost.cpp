// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Which host a start opens that names none.
#include "app/console/firsthost.h"
#include "app/console/fleetbinding.h"
#include "core/fleet/fleet.h"
#include "tests/gui/windowfixture.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

namespace {

struct Scene
{
    Scene()
    {
        for (const QString &name : {u"gpu1"_s, u"gpu2"_s, u"gpu3"_s}) {
            fixture.window->addHost(spec(name));
            fixture.window->setState(name, connected());
        }
        first = std::make_unique<FirstHost>(*fixture.window, binding);
    }
    void show(const QString &name, bool inNeed = false) const
    {
        Snapshot snapshot = servingHost(name);
        if (inNeed)
            snapshot.problems += Problem{u"gpu.lost"_s, Problem::Severity::Critical, 0, u"GPU 0 is lost."_s, {}};
        fixture.window->addSnapshot(name, shared(snapshot));
    }
    [[nodiscard]] QString current() const { return fixture.window->currentHost(); }

    WindowFixture fixture;
    Fleet fleet{FleetSettings{}};
    FleetBinding binding{fleet, *fixture.window};
    std::unique_ptr<FirstHost> first;
};

constexpr int looksMs = 700; ///< some looks

} // namespace

class TstFirstHost : public QObject
{
    Q_OBJECT
private slots:
    void init() { failOnAnyWarning(); }

    void worst_isOpenedOnceAllAreRead()
    {
        const Scene scene;
        scene.show(u"gpu1"_s);
        scene.show(u"gpu3"_s, true);
        QTest::qWait(looksMs);
        QCOMPARE(scene.current(), u"gpu1"_s); // gpu2 may be worse
        scene.show(u"gpu2"_s);
        QTRY_COMPARE(scene.current(), u"gpu3"_s);
        // Once: from now on the person chooses.
        scene.fixture.window->openHost(u"gpu2"_s);
        QTest::qWait(looksMs);
        QCOMPARE(scene.current(), u"gpu2"_s);
    }

    void nobodyInNeed_staysWhereItIs()
    {
        const Scene scene;
        for (const QString &name : {u"gpu1"_s, u"gpu2"_s, u"gpu3"_s})
            scene.show(name);
        QTest::qWait(looksMs);
        QCOMPARE(scene.current(), u"gpu1"_s);
        // The verdict of a deeper look may follow.
        scene.show(u"gpu2"_s, true);
        QTRY_COMPARE(scene.current(), u"gpu2"_s);
    }

    void personAtWork_isLeftAlone()
    {
        const Scene scene;
        scene.show(u"gpu1"_s);
        QTest::keyClick(scene.fixture.window.get(), Qt::Key_Shift);
        scene.show(u"gpu2"_s);
        scene.show(u"gpu3"_s, true);
        QTest::qWait(looksMs);
        QCOMPARE(scene.current(), u"gpu1"_s);
    }
};

PILOTHOUSE_GUI_TEST_MAIN(TstFirstHost)
#include "tst_firsthost.moc"

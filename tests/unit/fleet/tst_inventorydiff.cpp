// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventorydiff.h"
#include "tests/support/testmain.h"

#include <functional>

using namespace pilothouse;
using namespace Qt::StringLiterals;

using Change = std::function<void(HostSpec &)>;
Q_DECLARE_METATYPE(Change)

namespace {

HostSpec hostNamed(const QString &name)
{
    HostSpec host;
    host.name = name;
    host.ssh = name;
    host.source = u"/c/hosts.toml"_s;
    host.origin = HostOrigin::OwnFile;
    return host;
}

ServiceSpec service(const QString &name, const QString &unit)
{
    ServiceSpec made;
    made.name = name;
    made.unit = unit;
    return made;
}

} // namespace

class TstInventoryDiff final : public QObject
{
    Q_OBJECT
private slots:
    void field_isNamedWithBothValues_data()
    {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QStringList>("lines");
        const auto row = [](const char *name, const Change &change, const QStringList &lines) {
            QTest::newRow(name) << change << lines;
        };
        row("nothing", [](HostSpec &) {}, {});
        row("ssh", [](HostSpec &h) { h.ssh = u"root@b"_s; }, {u"ssh: a → root@b"_s});
        row("tags", [](HostSpec &h) { h.tags = QStringList{u"x"_s, u"y"_s}; }, {u"tags: none → x, y"_s});
        row("access", [](HostSpec &h) { h.access = Access::ReadOnly; }, {u"access: confirm → read-only"_s});
        row("sudo", [](HostSpec &h) { h.sudo = SudoPolicy::Ask; }, {u"sudo: never → ask"_s});
        row("count", [](HostSpec &h) { h.expectedGpus = 8; }, {u"expected_gpus: none → 8"_s});
        row("threshold", [](HostSpec &h) { h.thresholdMib = 5; }, {u"threshold_mib: 1000 → 5"_s});
        const auto moved = [](HostSpec &h) {
            h.source = u"/c/t.toml"_s;
            h.origin = HostOrigin::Included;
        };
        row("written now", [](HostSpec &h) { h.origin = HostOrigin::Typed; }, {u"origin: own → typed"_s});
        row("another file", moved, {u"file: /c/hosts.toml → /c/t.toml"_s});
        row("unit", [](HostSpec &h) { h.services[0].unit = u"x"_s; }, {u"service s: unit: u → x"_s});
        const auto all = [](HostSpec &h) {
            ServiceSpec &s = h.services[0];
            s.userScope = true;
            s.gpus = QStringList{u"0"_s};
            s.health = u"http://h"_s;
            s.model = u"m"_s;
            s.drain = u"d"_s;
            s.undrain = u"e"_s;
        };
        row("all of a service", all,
            {u"service s: scope: system → user"_s, u"service s: gpus: none → 0"_s,
             u"service s: health: none → http://h"_s, u"service s: model: none → m"_s, u"service s: drain: none → d"_s,
             u"service s: undrain: none → e"_s});
        row("service removed", [](HostSpec &h) { h.services.removeLast(); }, {u"service t removed"_s});
        row("service added", [](HostSpec &h) { h.services += service(u"n"_s, u"n"_s); }, {u"service n added"_s});
        row("service renamed", [](HostSpec &h) { h.services[0].name = u"n"_s; },
            {u"service s removed"_s, u"service n added"_s});
        row("services swapped", [](HostSpec &h) { h.services.swapItemsAt(0, 1); },
            {u"order of services: s, t → t, s"_s});
    }

    void field_isNamedWithBothValues()
    {
        QFETCH(const Change, change);
        QFETCH(const QStringList, lines);
        HostSpec before = hostNamed(u"a"_s);
        before.services = {service(u"s"_s, u"u"_s), service(u"t"_s, u"v"_s)};
        HostSpec after = before;
        change(after);
        QCOMPARE(fieldChanges(before, after), lines);
        QCOMPARE(before == after, lines.isEmpty()); // no change goes unnoticed
    }

    void mergedHost_takesMineWhereIChangedIt()
    {
        const HostSpec base = hostNamed(u"a"_s);
        HostSpec mine = base;
        mine.access = Access::Normal;
        mine.expectedGpus = 8;
        mine.services = {service(u"s"_s, u"u"_s)};
        HostSpec theirs = base;
        theirs.access = Access::ReadOnly;
        theirs.tags = QStringList{u"x"_s};
        theirs.thresholdMib = 7;
        const HostSpec merged = mergedHost(base, mine, theirs);
        QCOMPARE(fieldChanges(theirs, merged),
                 (QStringList{u"access: read-only → normal"_s, u"expected_gpus: none → 8"_s, u"service s added"_s}));
        QCOMPARE(merged.tags, theirs.tags);
        QCOMPARE(mergedHost(base, base, theirs), theirs);
        QCOMPARE(mergedHost(base, mine, base), mine);
    }

    void hosts_areAddedRemovedAndChanged()
    {
        HostSpec changed = hostNamed(u"b"_s);
        changed.expectedGpus = 2;
        const QList<HostSpec> before{hostNamed(u"a"_s), hostNamed(u"b"_s), hostNamed(u"c"_s)};
        const QList<HostSpec> after{changed, hostNamed(u"d"_s), hostNamed(u"a"_s)};
        const InventoryDifference difference = differenceOf(before, after);
        QCOMPARE(difference.added, QStringList{u"d"_s});
        QCOMPARE(difference.removed, QStringList{u"c"_s});
        QCOMPARE(difference.changed, (QList<HostChange>{{u"b"_s, {u"expected_gpus: none → 2"_s}}}));
        QVERIFY(differenceOf(before, {before.at(2), before.at(0), before.at(1)}).isEmpty());
    }
};

PILOTHOUSE_TEST_MAIN(TstInventoryDiff)
#include "tst_inventorydiff.moc"

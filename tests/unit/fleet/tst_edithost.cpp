// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Editing a host in hosts.toml: what is spliced in, that every other byte stays, and two editors on one file.
#include "core/fleet/inventory.h"
#include "tests/support/testmain.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRandomGenerator>
#include <QTemporaryDir>

#include <functional>

using namespace pilothouse;
using namespace Qt::StringLiterals;

using Change = std::function<void(HostSpec &)>;
Q_DECLARE_METATYPE(Change)

namespace {

ServiceSpec service(const QString &name, const QString &unit)
{
    ServiceSpec made;
    made.name = name;
    made.unit = unit;
    return made;
}

/// What a person may write in a value, and what is hard to find the end of.
const QStringList hardTexts{u"a"_s, u"Größe 🚀"_s, u"a # b"_s, u"\"]"_s, u"'''"_s, u"x = 1"_s, u"[[host]]"_s, u"\\"_s};

} // namespace

class TstEditHost final : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
    }

    void changed_everyOtherByteStays_data();
    void changed_everyOtherByteStays();
    void anyChange_ofAnyHost_leavesTheRest();
    void refused_nothingChanges_data();
    void refused_nothingChanges();
    void nothingChanged_writesNothing();
    void anotherEditorElsewhere_bothStay();
    void anotherEditorOnTheSameHost_isRefusedWithTheDifference();
    void commentOfAnotherEditor_isNotOverwritten();
    void removedByAnotherEditor_isRefused();
    void modeAndLink_stay();

private:
    void write(const QByteArray &text) const
    {
        QFile file(m_dir->filePath(u"hosts.toml"_s));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
    }
    [[nodiscard]] QByteArray read() const
    {
        QFile file(m_dir->filePath(u"hosts.toml"_s));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
    }
    Result<Inventory> edit(const QString &name, const Change &change) const
    {
        const auto text = readHostText(m_dir->path(), name);
        if (!text)
            return fail(text.error());
        HostSpec after = text->spec;
        change(after);
        return changeHost(m_dir->path(), *text, after);
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

void TstEditHost::changed_everyOtherByteStays_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<Change>("change");
    QTest::addColumn<QByteArray>("after");
    const auto row = [](const char *name, const QByteArray &before, const Change &change, const QByteArray &after) {
        QTest::newRow(name) << before << change << after;
    };
    const auto access = [](HostSpec &host) { host.access = Access::Normal; };
    row("a value in its place", "# mine\n[[host]]\n  name  =  'b'   # the second\naccess = 'confirm'# careful\n",
        access, "# mine\n[[host]]\n  name  =  'b'   # the second\naccess = \"normal\"# careful\n");
    row("a value that is new", "[[host]]\n\tname = \"b\" # b\n# sudo = \"ask\"\n\n[[host]]\nname = \"c\"\n", access,
        "[[host]]\n\tname = \"b\" # b\n\taccess = \"normal\"\n# sudo = \"ask\"\n\n[[host]]\nname = \"c\"\n");
    row("above the services", "[[host]]\nname = \"b\"\n\n[[host.service]]\nname = \"s\"\nunit = \"u\"\n", access,
        "[[host]]\nname = \"b\"\naccess = \"normal\"\n\n[[host.service]]\nname = \"s\"\nunit = \"u\"\n");
    row("no final line end", "[[host]]\nname = \"b\"", access, "[[host]]\nname = \"b\"\naccess = \"normal\"");
    row("CR LF and a byte order mark", "\xEF\xBB\xBF[[host]]\r\nname = \"b\"\r\n\r\n# end\r\n", access,
        "\xEF\xBB\xBF[[host]]\r\nname = \"b\"\r\naccess = \"normal\"\r\n\r\n# end\r\n");
    row("a mark, first line", "\xEF\xBB\xBFhost = [{name = 'b', access = 'confirm'}, {name = 'c'}]", access,
        "\xEF\xBB\xBFhost = [{name = 'b', access = \"normal\"}, {name = 'c'}]");
    row("behind letters of several bytes", "host = [{name = 'Größe🚀', ssh = 'g'}, {access = 'confirm', name = 'b'}]",
        access, "host = [{name = 'Größe🚀', ssh = 'g'}, {access = \"normal\", name = 'b'}]");
    row("back to the usual stays written", "[[host]]\nname = \"b\"\nexpected_gpus = 8 # all\n",
        [](HostSpec &host) { host.expectedGpus = 0; }, "[[host]]\nname = \"b\"\nexpected_gpus = 0 # all\n");
    row("name, reached by it", "[[host]]\nname = \"b\"\n", [](HostSpec &host) { host.name = host.ssh = u"d"_s; },
        "[[host]]\nname = \"d\"\n");
    row("name, reached as before", "[[host]]\nname = \"b\"\n", [](HostSpec &host) { host.name = u"d"_s; },
        "[[host]]\nname = \"d\"\nssh = \"b\"\n");
    row("a list over several lines", "[[host]]\nname = \"b\"\ntags = [\n  \"x\", # is kept out\n]\n# end\n",
        [](HostSpec &host) { host.expectedGpus = 2; },
        "[[host]]\nname = \"b\"\ntags = [\n  \"x\", # is kept out\n]\nexpected_gpus = 2\n# end\n");
    row("a list without comments", "[[host]]\nname = \"b\"\ntags = [\n  'x', \"#y\"\n] # tags\n",
        [](HostSpec &host) { host.tags += u"z"_s; },
        "[[host]]\nname = \"b\"\ntags = [\"x\", \"#y\", \"z\"] # tags\n");
    const QByteArray two = "[[host]]\nname = \"b\"\n\n# first\n[[host.service]]\nname = \"s\"\nunit = \"s\" # s\n\n"
                           "# second\n[[host.service]]\nname = \"t\"\nunit = \"t\"\nhealth = \"http://h/\" # h\n\n"
                           "[[host]]\nname = \"c\"\n";
    row("a service changed", two,
        [](HostSpec &host) {
            host.services[0].gpus = QStringList{u"0"_s, u"GPU-1"_s};
            host.services[1].unit = u"x.service"_s;
        },
        QByteArray(two)
            .replace("# s\n", "# s\ngpus = [0, \"GPU-1\"]\n")
            .replace("\"t\"\nhealth", "\"x.service\"\nhealth"));
    row("a service renamed", two, [](HostSpec &host) { host.services[0].name = u"n"_s; },
        QByteArray(two).replace("name = \"s\"", "name = \"n\""));
    row("a value emptied", two, [](HostSpec &host) { host.services[1].health.clear(); },
        QByteArray(two).replace("health = \"http://h/\" # h\n", ""));
    row("a value emptied above one that is changed",
        "[[host]]\nname = \"b\"\n[[host.service]]\nname = \"s\"\nhealth = \"http://h/\"\nunit = \"s\"\nmodel = \"m\"\n",
        [](HostSpec &host) {
            host.services[0].health.clear();
            host.services[0].model = u"k"_s;
        },
        "[[host]]\nname = \"b\"\n[[host.service]]\nname = \"s\"\nunit = \"s\"\nmodel = \"k\"\n");
    row("a service removed", two, [](HostSpec &host) { host.services.removeFirst(); },
        QByteArray(two).replace("# first\n[[host.service]]\nname = \"s\"\nunit = \"s\" # s\n\n", ""));
    row("both services removed", two, [](HostSpec &host) { host.services.clear(); },
        "[[host]]\nname = \"b\"\n\n[[host]]\nname = \"c\"\n");
    row("a service added", two, [](HostSpec &host) { host.services += service(u"n"_s, u"n.service"_s); },
        QByteArray(two).replace("# h\n", "# h\n\n[[host.service]]\nname = \"n\"\nunit = \"n.service\"\n"));
    row("a service added to none, no final line end", "[[host]]\nname = \"b\"",
        [](HostSpec &host) { host.services += service(u"n"_s, u"n.service"_s); },
        "[[host]]\nname = \"b\"\n\n[[host.service]]\nname = \"n\"\nunit = \"n.service\"");
    row(
        "one removed, one added, one changed", two,
        [](HostSpec &host) {
            host.access = Access::ReadOnly;
            host.services.removeFirst();
            host.services[0].health = u"http://i/"_s;
            host.services += service(u"n"_s, u"n.service"_s);
        },
        "[[host]]\nname = \"b\"\naccess = \"read-only\"\n\n# second\n[[host.service]]\nname = \"t\"\nunit = \"t\"\n"
        "health = \"http://i/\" # h\n\n[[host.service]]\nname = \"n\"\nunit = \"n.service\"\n\n[[host]]\nname = "
        "\"c\"\n");
}

void TstEditHost::changed_everyOtherByteStays()
{
    QFETCH(const QByteArray, before);
    QFETCH(const Change, change);
    QFETCH(const QByteArray, after);
    write(before);
    const auto changed = edit(u"b"_s, change);
    QVERIFY2(changed, changed ? "" : qPrintable(changed.error().detail));
    QCOMPARE(read(), after);
    QCOMPARE(changed->hosts, loadInventory(m_dir->path())->hosts);
}

void TstEditHost::anyChange_ofAnyHost_leavesTheRest()
{
    // Hosts among comments that look like tables; each change is drawn, and everything outside of the host must stay.
    QRandomGenerator random(20260);
    const auto pick = [&](const QStringList &texts) { return texts.at(random.bounded(int(texts.size()))); };
    for (int round = 0; round < 300; ++round) {
        const QByteArray end = random.bounded(2) ? "\n" : "\r\n";
        const int count = 1 + random.bounded(3);
        const int chosen = random.bounded(count);
        QByteArray head;
        QByteArray own;
        QByteArray tail;
        for (int i = 0; i < count; ++i) {
            QByteArray host = "[[host]]  # \"" + end + "name = 'h" + QByteArray::number(i) + "'"
                + (random.bounded(2) ? " # n'" : "") + end;
            if (random.bounded(2))
                host += "\t tags = [ 'ü',\t'#' ]#t" + end;
            if (random.bounded(2))
                host += "sudo=\"ask\"" + end;
            for (int s = random.bounded(3); s > 0; --s) {
                host += end + " [[host.service]]" + end + "   unit = '''u''' # é" + end + "   name = 's"
                    + QByteArray::number(s) + "'" + end;
            }
            const QByteArray comment = "# é [[host]] " + QByteArray::number(i) + end + end;
            (i <= chosen ? head : tail) += comment;
            (i < chosen ? head : i == chosen ? own : tail) += host;
        }
        tail += end + "# after" + (random.bounded(2) ? end : QByteArray());
        write(head + own + tail);
        HostSpec wanted;
        const auto changed = edit(u"h%1"_s.arg(chosen), [&](HostSpec &host) {
            if (random.bounded(2))
                host.tags << pick(hardTexts);
            if (random.bounded(2))
                host.name = u"n"_s + pick({u"ä"_s, u"#"_s, u"🚀"_s});
            if (random.bounded(2))
                host.sudo = SudoPolicy(random.bounded(3));
            if (random.bounded(2))
                host.thresholdMib = random.bounded(5000);
            if (!host.services.isEmpty() && random.bounded(2))
                host.services[0].drain = pick(hardTexts);
            if (random.bounded(3) == 0)
                host.services.append(service(u"new"_s, u"new.service"_s));
            wanted = host;
        });
        QVERIFY2(changed, changed ? "" : qPrintable(changed.error().detail));
        const QByteArray after = read();
        QVERIFY2(after.startsWith(head) && after.endsWith(tail), after.constData());
        QVERIFY(changed->hosts.contains(wanted));
        QCOMPARE(after.count('\r'), end.size() == 2 ? after.count('\n') : 0);
    }
}

void TstEditHost::refused_nothingChanges_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<Change>("change");
    QTest::addColumn<QString>("why");
    const auto row = [](const char *name, const QByteArray &text, const Change &change, const QString &why) {
        QTest::newRow(name) << text << change << why;
    };
    const QByteArray plain = "[[host]]\nname = \"b\"\n[[host]]\nname = \"c\"\n";
    const auto access = [](HostSpec &host) { host.access = Access::Normal; };
    row("unknown", "[[host]]\nname = \"c\"\n", access, u"has no host \"b\""_s);
    row("included", "include = [\"b.toml\"]\n", access, u"changed there by whoever keeps that file"_s);
    row("name taken", plain, [](HostSpec &host) { host.name = u"c"_s; }, u"a name of its own"_s);
    row("bad name", plain, [](HostSpec &host) { host.name = u"a/b"_s; }, u"expected a printable name"_s);
    row("bad target", plain, [](HostSpec &host) { host.ssh = u"-oX=y"_s; }, u"expected an SSH alias"_s);
    row("bad service", plain, [](HostSpec &host) { host.services += service(u"s"_s, u"a b"_s); }, u"systemd unit"_s);
    row("tag that does not read back", plain, [](HostSpec &host) { host.tags += u"a\u202Eb"_s; }, u"printable"_s);
    row("comments inside a list", "[[host]]\nname = \"b\"\ntags = [\n  'x', # why\n]\n",
        [](HostSpec &host) { host.tags += u"y"_s; }, u"the list \"tags\" has comments inside"_s);
    row("a new value inline", "host = [{name = 'b'}]\n", access, u":2:"_s);
    row("broken", "[[host]]\nname = \"b\"\nname = 1\n", access, u"hosts.toml:3"_s);
}

void TstEditHost::refused_nothingChanges()
{
    QFETCH(const QByteArray, text);
    QFETCH(const Change, change);
    QFETCH(const QString, why);
    write(text);
    QFile team(m_dir->filePath(u"b.toml"_s));
    QVERIFY(team.open(QIODevice::WriteOnly));
    team.write("[[host]]\nname = \"b\"\n");
    team.close();
    const auto changed = edit(u"b"_s, change);
    QVERIFY(!changed);
    QCOMPARE(changed.error().code, ErrorCode::InventoryInvalid);
    QVERIFY2(changed.error().detail.contains(why), qPrintable(changed.error().detail));
    QCOMPARE(read(), text);
}

void TstEditHost::nothingChanged_writesNothing()
{
    write("[[host]]\nname = 'b'\n");
    const QString file = m_dir->filePath(u"hosts.toml"_s);
    QFile touched(file);
    QVERIFY(touched.open(QIODevice::ReadWrite));
    const QDateTime old = QDateTime::currentDateTimeUtc().addDays(-1);
    QVERIFY(touched.setFileTime(old, QFileDevice::FileModificationTime));
    touched.close();
    QVERIFY(edit(u"b"_s, [](HostSpec &) {}));
    QCOMPARE(QFileInfo(file).lastModified().toSecsSinceEpoch(), old.toSecsSinceEpoch());
}

void TstEditHost::anotherEditorElsewhere_bothStay()
{
    write("[[host]]\nname = \"a\"\n\n[[host]]\nname = \"b\"\n");
    const auto begun = readHostText(m_dir->path(), u"b"_s);
    QVERIFY(begun);
    write("# by hand\n[[host]]\nname = \"a\"\naccess = \"normal\"\n\n[[host]]\nname = \"b\"\n\n[[host]]\nname = "
          "\"new\"\n");
    HostSpec after = begun->spec;
    after.expectedGpus = 4;
    const auto changed = changeHost(m_dir->path(), *begun, after);
    QVERIFY2(changed, changed ? "" : qPrintable(changed.error().detail));
    QCOMPARE(read(), QByteArray("# by hand\n[[host]]\nname = \"a\"\naccess = \"normal\"\n\n[[host]]\nname = \"b\"\n"
                                "expected_gpus = 4\n\n[[host]]\nname = \"new\"\n"));
}

void TstEditHost::anotherEditorOnTheSameHost_isRefusedWithTheDifference()
{
    write("[[host]]\nname = \"b\"\n");
    const auto begun = readHostText(m_dir->path(), u"b"_s);
    QVERIFY(begun);
    const QByteArray theirs = "[[host]]\nname = \"b\"\naccess = \"normal\"\ntags = [\"x\"]\n";
    write(theirs);
    HostSpec after = begun->spec;
    after.expectedGpus = 4;
    const auto changed = changeHost(m_dir->path(), *begun, after);
    QVERIFY(!changed);
    QCOMPARE(changed.error().detail,
             u"The lines of \"b\" in %1 have changed meanwhile: tags: none → x; access: confirm → normal."_s.arg(
                 m_dir->filePath(u"hosts.toml"_s)));
    QCOMPARE(read(), theirs);
    // Begun anew, it goes on.
    QVERIFY(edit(u"b"_s, [](HostSpec &host) { host.expectedGpus = 4; }));
    QCOMPARE(read(), theirs + "expected_gpus = 4\n");
}

void TstEditHost::commentOfAnotherEditor_isNotOverwritten()
{
    write("[[host]]\nname = \"b\"\nsudo = \"ask\"\n");
    const auto begun = readHostText(m_dir->path(), u"b"_s);
    QVERIFY(begun);
    const QByteArray theirs = "[[host]]\nname = \"b\" # hands off\nsudo = \"ask\"\n";
    write(theirs);
    HostSpec after = begun->spec;
    after.sudo = SudoPolicy::Never;
    const auto changed = changeHost(m_dir->path(), *begun, after);
    QVERIFY(!changed);
    QVERIFY2(changed.error().detail.endsWith(u"its comments or spacing."_s), qPrintable(changed.error().detail));
    QCOMPARE(read(), theirs);
}

void TstEditHost::removedByAnotherEditor_isRefused()
{
    write("[[host]]\nname = \"b\"\n");
    const auto begun = readHostText(m_dir->path(), u"b"_s);
    QVERIFY(begun);
    write("");
    const auto changed = changeHost(m_dir->path(), *begun, begun->spec);
    QVERIFY(!changed);
    QVERIFY(changed.error().detail.endsWith(u"has no host \"b\"."_s));
    QCOMPARE(read(), QByteArray());
}

void TstEditHost::modeAndLink_stay()
{
    write("[[host]]\nname = \"b\"\n");
    const QString file = m_dir->filePath(u"hosts.toml"_s);
    const QString real = m_dir->filePath(u"dotfiles.toml"_s);
    QVERIFY(QFile::rename(file, real));
    QVERIFY(QFile::link(real, file));
    const auto mode = QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup;
    QVERIFY(QFile::setPermissions(real, mode));
    QVERIFY(edit(u"b"_s, [](HostSpec &host) { host.expectedGpus = 4; }));
    QCOMPARE(QFileInfo(file).symLinkTarget(), real);
    QCOMPARE(QFile::permissions(real) & ~(QFile::ReadUser | QFile::WriteUser), QFile::Permissions(mode));
    QVERIFY(read().endsWith("expected_gpus = 4\n"));
}

PILOTHOUSE_TEST_MAIN(TstEditHost)
#include "tst_edithost.moc"

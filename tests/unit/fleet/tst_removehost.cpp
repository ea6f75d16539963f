// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventory.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstRemoveHost final : public QObject
{
    Q_OBJECT
private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
    }

    void removed_everyOtherByteStays_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("lines");
        QTest::addColumn<QByteArray>("after");
        const QByteArray a = "[[host]]\nname = \"a\"\n";
        const QByteArray b = "[[host]]\nname = \"b\" # the second\nssh = \"b.example\"\n";
        const QByteArray c = "[[host]]\nname = \"c\"\n";
        const auto row = [](const char *name, const QByteArray &before, const QByteArray &lines,
                            const QByteArray &after) { QTest::newRow(name) << before << lines << after; };
        row("alone", b, b, "");
        row("last", a + "\n" + b, "\n" + b, a);
        row("first", b + "\n" + c, b + "\n", c);
        row("middle", a + "\n" + b + "\n" + c, b + "\n", a + "\n" + c);
        row("no blank lines", a + b + c, b, a + c);
        row("blank only below", a + b + "\n" + c, b, a + "\n" + c);
        row("no line feed at the end", a + "\n" + b.chopped(1), "\n" + b.chopped(1), a);
        row("its comments go with it", a + "\n# rack 4\n  # ask Bob\n" + b + "# expected_gpus = 8\n\n" + c,
            "# rack 4\n  # ask Bob\n" + b + "# expected_gpus = 8\n\n", a + "\n" + c);
        row("the file's own comment stays", "# my hosts\n" + b + "\n" + c, b, "# my hosts\n\n" + c);
        row("the next host's comment stays", a + b + "# the third\n" + c, b, a + "# the third\n" + c);
        row("a comment of nobody stays", a + "\n# of old:\n\n" + b + "\n# to come:\n\n" + c, b + "\n",
            a + "\n# of old:\n\n# to come:\n\n" + c);
        const QByteArray services = "[[host.service]]\nname = \"x\"\nunit = \"x.service\"\n\n[[host.service]]\n"
                                    "name = \"y\"\nunit = \"y.service\"\ngpus = [\n  0,\n  1\n]\n";
        row("services go too", b + "\n" + services + "\n" + c, b + "\n" + services + "\n", c);
        const QByteArray first = "\xEF\xBB\xBF[[host]]\r\nname = \"a\"\r\n";
        const QByteArray second = "\r\n[[host]]\r\nname = \"b\"\r\n";
        row("CR LF", first + second, second, first);
        const QByteArray tricky = "[[host]]\nname = \"b\"\ntags = [\"\"\"\\\n[[host]]\\\nname = 'x'\\\n\"\"\"]\n";
        row("a header inside a text", a + "\n" + tricky, "\n" + tricky, a);
    }

    void removed_everyOtherByteStays()
    {
        QFETCH(const QByteArray, before);
        QFETCH(const QByteArray, lines);
        QFETCH(const QByteArray, after);
        write(u"hosts.toml"_s, before);
        const auto planned = planRemoval(m_dir->path(), u"b"_s);
        QVERIFY2(planned, planned ? "" : qPrintable(planned.error().detail));
        QCOMPARE(planned->lines, lines);
        QCOMPARE(planned->file, m_dir->filePath(u"hosts.toml"_s));
        QCOMPARE(read(u"hosts.toml"_s), before);
        const auto changed = removeHost(m_dir->path(), *planned);
        QVERIFY2(changed, changed ? "" : qPrintable(changed.error().detail));
        QCOMPARE(read(u"hosts.toml"_s), after);
        QVERIFY(std::ranges::find(changed->hosts, u"b"_s, &HostSpec::name) == changed->hosts.end());
        QCOMPARE(changed->hosts, loadInventory(m_dir->path())->hosts);
    }

    void added_removedAgainIsTheSameFile()
    {
        const QByteArray text = "# mine\n[[host]]\nname = \"a\"\n";
        write(u"hosts.toml"_s, text);
        HostSpec host;
        host.name = u"b"_s;
        host.ssh = u"root@b.example"_s;
        host.services << ServiceSpec();
        host.services.last().name = u"kimi"_s;
        host.services.last().unit = u"kimi.service"_s;
        QVERIFY(appendHost(m_dir->path(), host));
        QVERIFY(removeHost(m_dir->path(), *planRemoval(m_dir->path(), u"b"_s)));
        QCOMPARE(read(u"hosts.toml"_s), text);
    }

    void refused_nothingChanges_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("why");
        QTest::newRow("unknown") << QByteArray("[[host]]\nname = \"a\"\n") << u"no host \"b\""_s;
        QTest::newRow("included") << QByteArray("include = [\"b.toml\"]\n") << u"b.toml, a file that hosts.toml"_s;
        QTest::newRow("inline") << QByteArray("host = [{name = \"a\"}, {name = \"b\"}]\n") << u"cannot be taken out"_s;
        QTest::newRow("inline, a line each")
            << QByteArray("host = [\n  {name = \"a\"},\n  {name = \"b\"}\n]\n") << u"cannot be taken out"_s;
        QTest::newRow("broken") << QByteArray("[[host]]\nname = \"b\"\nname = 1\n") << u"hosts.toml:3"_s;
    }

    void refused_nothingChanges()
    {
        QFETCH(const QByteArray, text);
        QFETCH(const QString, why);
        const QByteArray included = "[[host]]\nname = \"b\"\n";
        write(u"hosts.toml"_s, text);
        write(u"b.toml"_s, included);
        const auto planned = planRemoval(m_dir->path(), u"b"_s);
        QVERIFY(!planned);
        QCOMPARE(planned.error().code, ErrorCode::InventoryInvalid);
        QVERIFY2(planned.error().detail.contains(why), qPrintable(planned.error().detail));
        const auto removed = removeHost(m_dir->path(), {u"b"_s, m_dir->filePath(u"hosts.toml"_s), text});
        QVERIFY(!removed);
        QCOMPARE(read(u"hosts.toml"_s), text);
        QCOMPARE(read(u"b.toml"_s), included);
    }

    void changedSincePlanned_isRefused()
    {
        write(u"hosts.toml"_s, "[[host]]\nname = \"b\"\n");
        const auto planned = planRemoval(m_dir->path(), u"b"_s);
        QVERIFY(planned);
        const QByteArray text = "[[host]]\nname = \"b\"\naccess = \"normal\"\n";
        write(u"hosts.toml"_s, text);
        const auto removed = removeHost(m_dir->path(), *planned);
        QVERIFY(!removed);
        QVERIFY(removed.error().detail.contains(u"changed meanwhile"_s));
        QCOMPARE(read(u"hosts.toml"_s), text);
        // A change elsewhere is kept.
        write(u"hosts.toml"_s, "[[host]]\nname = \"new\"\n\n[[host]]\nname = \"b\"\n");
        QVERIFY(removeHost(m_dir->path(), *planRemoval(m_dir->path(), u"b"_s)));
        QCOMPARE(read(u"hosts.toml"_s), QByteArray("[[host]]\nname = \"new\"\n"));
    }

private:
    void write(const QString &name, const QByteArray &text) const
    {
        QFile file(m_dir->filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
    }
    [[nodiscard]] QByteArray read(const QString &name) const
    {
        QFile file(m_dir->filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("unreadable");
    }

    std::unique_ptr<QTemporaryDir> m_dir;
};

PILOTHOUSE_TEST_MAIN(TstRemoveHost)
#include "tst_removehost.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What is imported stands in a file of its own, included, read-only, replaced by the next import; hosts.toml keeps its
// bytes.
#include "core/fleet/imports/importfile.h"
#include "core/fleet/imports/importsources.h"
#include "core/fleet/inventoryloader.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <sys/stat.h>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstImportFile final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void include_isAdded_data();
    void include_isAdded();
    void include_thatCannotBeAdded();
    void import_isReadOnlyAndIncluded();
    void import_again_replacesItsFile();
    void takenName_changesNothing();
    void brokenInventory_changesNothing();
    void includeThatIsOneTooMany_changesNothing();
    void changedMeanwhile_isNotOverwritten();
    void ssh_aliasesWithoutPatterns();
    void ansible_isReadByItsName_data();
    void ansible_isReadByItsName();
    void ansible_refused_data();
    void ansible_refused();
    void ansible_programIsNeverRun();

private:
    [[nodiscard]] QString path(const QString &name) const { return m_folder->filePath(name); }
    void write(const QString &name, const QByteArray &text) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(text), text.size());
    }
    [[nodiscard]] QByteArray read(const QString &name) const
    {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("none");
    }
    [[nodiscard]] static HostSpec host(const QString &name)
    {
        HostSpec spec;
        spec.name = name;
        spec.ssh = u"root@"_s + name;
        spec.tags = {u"gpu"_s};
        return spec;
    }
    [[nodiscard]] static QStringList namesOf(const Result<Inventory> &inventory)
    {
        QStringList names;
        if (!inventory)
            return {inventory.error().detail};
        for (const HostSpec &spec : inventory->hosts)
            names += spec.name;
        return names;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TstImportFile::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
}

void TstImportFile::include_isAdded_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("after");
    const QByteArray host = "[[host]]\nname = \"a\"\n";
    QTest::newRow("nothing") << QByteArray() << QByteArray("include = [\"i/x.toml\"]\n");
    QTest::newRow("hosts alone") << host << "include = [\"i/x.toml\"]\n\n" + host;
    QTest::newRow("a comment first") << "# mine\n" + host << "include = [\"i/x.toml\"]\n\n# mine\n" + host;
    QTest::newRow("an empty one") << "# é\ninclude = [ ]\n" + host << "# é\ninclude = [\"i/x.toml\" ]\n" + host;
    QTest::newRow("one that has some") << "include = [\n  'team.toml', # theirs\n]\n" + host
                                       << "include = [\n  \"i/x.toml\", 'team.toml', # theirs\n]\n" + host;
    QTest::newRow("there already") << "include = [\"i/x.toml\"]\n" + host << "include = [\"i/x.toml\"]\n" + host;
    QTest::newRow("Windows line ends") << QByteArray("[[host]]\r\nname = \"a\"\r\n")
                                       << QByteArray("include = [\"i/x.toml\"]\r\n\r\n[[host]]\r\nname = \"a\"\r\n");
}

void TstImportFile::include_isAdded()
{
    QFETCH(const QByteArray, before);
    const auto after = withInclude(before, u"i/x.toml"_s, u"f"_s);
    QVERIFY2(after.has_value(), after ? "" : qPrintable(after.error().detail));
    QTEST(*after, "after");
}

void TstImportFile::include_thatCannotBeAdded()
{
    const auto broken = withInclude("[[host]\n", u"i/x.toml"_s, u"f"_s);
    QVERIFY(!broken);
    QVERIFY(broken.error().detail.startsWith(u"f:1"));
    const auto quoted = withInclude("\"include\" = []\n", u"i/x.toml"_s, u"f"_s);
    QVERIFY(!quoted);
    QVERIFY(quoted.error().advice.contains(u"by hand"));
}

void TstImportFile::import_isReadOnlyAndIncluded()
{
    const QByteArray own = "# mine\n[[host]]\nname = \"own\"\n";
    write(u"hosts.toml"_s, own);
    HostSpec served = host(u"gpu1"_s);
    served.services = {ServiceSpec()};
    served.services.first().name = served.services.first().unit = u"kimi"_s;
    const auto inventory =
        writeImport(path({}), u"ssh-config"_s, u"/home/x/.ssh/config"_s, {served, host(u"gpu2"_s)});
    QCOMPARE(namesOf(inventory), (QStringList{u"gpu1"_s, u"gpu2"_s, u"own"_s}));
    const HostSpec &first = inventory->hosts.first();
    QCOMPARE(first.access, Access::ReadOnly);
    QVERIFY(first.services.isEmpty()); // found on the host, not written by an import
    QCOMPARE(first.origin, HostOrigin::Imported);
    QCOMPARE(first.ssh, u"root@gpu1"_s);
    QCOMPARE(first.tags, QStringList{u"gpu"_s});
    QCOMPARE(first.source, path(u"imported/ssh-config.toml"_s));
    QVERIFY(isReadOnly(first.origin));
    QCOMPARE(inventory->hosts.last().origin, HostOrigin::OwnFile);
    QCOMPARE(read(u"hosts.toml"_s), "include = [\"imported/ssh-config.toml\"]\n\n" + own);
    QVERIFY(read(u"imported/ssh-config.toml"_s).startsWith("# Imported from /home/x/.ssh/config\n"));
}

void TstImportFile::import_again_replacesItsFile()
{
    QVERIFY(writeImport(path({}), u"a"_s, u"x"_s, {host(u"gpu1"_s), host(u"gpu2"_s)}));
    QVERIFY(writeImport(path({}), u"b"_s, u"y"_s, {host(u"gpu3"_s)}));
    const QByteArray main = read(u"hosts.toml"_s);
    const auto again = writeImport(path({}), u"a"_s, u"x"_s, {host(u"gpu2"_s)});
    QCOMPARE(namesOf(again), (QStringList{u"gpu3"_s, u"gpu2"_s}));
    QCOMPARE(read(u"hosts.toml"_s), main);
}

void TstImportFile::takenName_changesNothing()
{
    write(u"hosts.toml"_s, "[[host]]\nname = \"gpu1\"\n");
    const auto taken = writeImport(path({}), u"a"_s, u"x"_s, {host(u"gpu2"_s), host(u"gpu1"_s)});
    QVERIFY(!taken);
    QCOMPARE(taken.error().detail, u"The name \"gpu1\" is taken by a host in %1."_s.arg(path(u"hosts.toml"_s)));
    QCOMPARE(read(u"hosts.toml"_s), QByteArray("[[host]]\nname = \"gpu1\"\n"));
    QVERIFY(!QFile::exists(path(u"imported/a.toml"_s)));
}

void TstImportFile::brokenInventory_changesNothing()
{
    write(u"hosts.toml"_s, "[[host]]\nnam = \"gpu1\"\n");
    QVERIFY(!writeImport(path({}), u"a"_s, u"x"_s, {host(u"gpu2"_s)}));
    QCOMPARE(read(u"hosts.toml"_s), QByteArray("[[host]]\nnam = \"gpu1\"\n"));
    QVERIFY(!QFile::exists(path(u"imported/a.toml"_s)));
}

void TstImportFile::includeThatIsOneTooMany_changesNothing()
{
    // What is written reads back no more: both files are put back as they were, or were not.
    QByteArray includes;
    for (int i = 1; i < 100; ++i) {
        write(u"%1.toml"_s.arg(i), {});
        includes += (i > 1 ? ", \"" : "\"") + QByteArray::number(i) + ".toml\"";
    }
    const QByteArray main = "include = [" + includes + "]\n";
    write(u"hosts.toml"_s, main);
    const auto inventory = writeImport(path({}), u"a"_s, u"x"_s, {host(u"gpu1"_s)});
    QVERIFY(!inventory);
    QVERIFY2(inventory.error().detail.contains(u"is one too many"_s), qPrintable(inventory.error().detail));
    QCOMPARE(read(u"hosts.toml"_s), main);
    QVERIFY(!QFile::exists(path(u"imported/a.toml"_s)));
}

void TstImportFile::changedMeanwhile_isNotOverwritten()
{
    const QString file = path(u"hosts.toml"_s);
    QVERIFY(replaceInventoryFile(file, {}, "old"));
    write(u"hosts.toml"_s, "another editor's");
    const auto late = replaceInventoryFile(file, "old", "new");
    QVERIFY(!late);
    QCOMPARE(late.error().code, ErrorCode::LocalIo);
    QVERIFY2(late.error().detail.contains(u"changed it meanwhile"_s), qPrintable(late.error().detail));
    QCOMPARE(read(u"hosts.toml"_s), QByteArray("another editor's"));
    QVERIFY(!replaceInventoryFile(file, {}, "new")); // nor one that was not there before
    QCOMPARE(read(u"hosts.toml"_s), QByteArray("another editor's"));
    QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files), QStringList{u"hosts.toml"_s});
}

void TstImportFile::ssh_aliasesWithoutPatterns()
{
    write(u"more"_s, "Host inner\n");
    write(u"config"_s, "Include " + path(u"more"_s).toUtf8()
                           + "\nHost gpu1 gpu2 !gpu3 *.lan\n  User root\nMatch host x\n"
                             "Host *\n  Port 2222\n");
    const ImportList list = importSsh(SshConfigRoots::of(path(u"config"_s), path({})));
    QStringList lines;
    for (const ImportedHost &each : list.hosts)
        lines += each.spec.name + u' ' + each.spec.ssh;
    QCOMPARE(lines, (QStringList{u"inner inner"_s, u"gpu1 gpu1"_s, u"gpu2 gpu2"_s}));
    QCOMPARE(list.hosts.first().spec.access, Access::ReadOnly);
    QCOMPARE(list.name, u"ssh-config"_s);
}

void TstImportFile::ansible_isReadByItsName_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("kept");
    const QByteArray yaml = "g:\n  hosts:\n    gpu1: {ansible_user: root}\n";
    const QByteArray ini = "[g]\ngpu1 ansible_user=root\n";
    QTest::newRow("hosts.yml") << u"hosts.yml"_s << yaml << u"ansible-hosts"_s;
    QTest::newRow("prod.site.YAML") << u"prod.site.YAML"_s << yaml << u"ansible-prod-site"_s;
    QTest::newRow("hosts.ini") << u"hosts.ini"_s << ini << u"ansible-hosts"_s;
    QTest::newRow("INI without a suffix") << u"hosts"_s << ini << u"ansible-hosts"_s;
    QTest::newRow("YAML without a suffix") << u"hosts"_s << "# all\n\n" + yaml << u"ansible-hosts"_s;
    QTest::newRow("YAML with a mark") << u"hosts"_s << "---\n" + yaml << u"ansible-hosts"_s;
}

void TstImportFile::ansible_isReadByItsName()
{
    QFETCH(const QString, name);
    QFETCH(const QByteArray, text);
    write(name, text);
    const auto list = importAnsible(path(name));
    QVERIFY2(list.has_value(), list ? "" : qPrintable(list.error().detail));
    QCOMPARE(list->hosts.size(), 1);
    QCOMPARE(list->hosts.first().spec.ssh, u"root@gpu1"_s);
    QTEST(list->name, "kept");
    QCOMPARE(list->notes, QStringList());
    QVERIFY(QDir(path({})).mkdir(u"group_vars"_s));
    QCOMPARE(importAnsible(path(name))->notes.size(), 1);
}

void TstImportFile::ansible_refused_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<ErrorCode>("code");
    QTest::addColumn<QString>("words");
    QTest::newRow("missing") << u"none"_s << ErrorCode::LocalIo << u"cannot be read: No such file"_s;
    QTest::newRow("folder") << u"folder"_s << ErrorCode::Usage << u"is a folder"_s;
    QTest::newRow("pipe") << u"pipe"_s << ErrorCode::LocalIo << u"it is not a file"_s;
    QTest::newRow("large") << u"large"_s << ErrorCode::LocalIo << u"larger than 8 MiB"_s;
    QTest::newRow("mistake") << u"mistake.yml"_s << ErrorCode::InventoryInvalid
                             << u"mistake.yml:1: expected groups by name"_s;
}

void TstImportFile::ansible_refused()
{
    QFETCH(const QString, name);
    QFETCH(const QString, words);
    QVERIFY(QDir(path({})).mkdir(u"folder"_s));
    QCOMPARE(::mkfifo(QFile::encodeName(path(u"pipe"_s)).constData(), 0600), 0);
    write(u"large"_s, QByteArray(8 * 1024 * 1024 + 1, '#'));
    write(u"mistake.yml"_s, "- hosts: all\n");
    const auto list = importAnsible(path(name));
    QVERIFY(!list);
    QTEST(list.error().code, "code");
    QVERIFY2(list.error().detail.contains(words), qPrintable(list.error().detail));
}

void TstImportFile::ansible_programIsNeverRun()
{
    const QByteArray script = "#!/bin/sh\ntouch " + path(u"ran"_s).toUtf8() + "\n";
    write(u"ec2.py"_s, script);
    const auto unmarked = importAnsible(path(u"ec2.py"_s));
    QVERIFY(!unmarked);
    QVERIFY(QFile::setPermissions(path(u"ec2.py"_s), QFileDevice::ReadOwner | QFileDevice::ExeOwner));
    const auto list = importAnsible(path(u"ec2.py"_s));
    QVERIFY(!list);
    QCOMPARE(list.error().code, ErrorCode::Usage);
    QVERIFY2(list.error().detail.contains(u"it is not run"), qPrintable(list.error().detail));
    QVERIFY2(list.error().advice.contains(u"ansible-inventory -i"), qPrintable(list.error().advice));
    QVERIFY(!QFile::exists(path(u"ran"_s)));
}

PILOTHOUSE_TEST_MAIN(TstImportFile)
#include "tst_importfile.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventory.h"
#include "core/fleet/inventoryreader.h"
#include "tests/support/specialfile.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <sys/stat.h>
#include <unistd.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

class TstInventory final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void missingFile_isAnEmptyInventory();
    void example_isReadWhole();
    void defaults_standWhereNothingIsWritten();
    void includes_comeFirstAndAreReadOnly();
    void include_readTwice_isMergedOnce();
    void broken_saysWhereAndWhat_data();
    void broken_saysWhereAndWhat();
    void brokenInclude_saysWhereAndWhat_data();
    void brokenInclude_saysWhereAndWhat();
    void brokenIncludedFile_isNamedItself();
    void mistakesInSeveralFiles_areAllNamed();
    void moreMistakesThanAnybodyReads_areCounted();
    void circleOfThree_isNamedWhole();
    void whatIsNoFile_isALocalFailure_data();
    void whatIsNoFile_isALocalFailure();
    void textInUtf16_isNamedAsWhatItIs();
    void sameNameInTwoFiles_namesBoth();
    void fileWithoutPermission_isALocalFailure_data();
    void fileWithoutPermission_isALocalFailure();
    void folderInPlaceOfTheFile_isALocalFailure();
    void binaryNoise_isRefused();
    void overlongFile_isRefused();
    void unitName_isCompletedOrRefused_data();
    void unitName_isCompletedOrRefused();

private:
    void write(const QString &name, const QByteArray &text) const;
    [[nodiscard]] QString path(const QString &name) const { return m_dir->filePath(name); }

    std::unique_ptr<QTemporaryDir> m_dir;
};

void TstInventory::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
}

void TstInventory::write(const QString &name, const QByteArray &text) const
{
    QVERIFY(QDir().mkpath(QFileInfo(path(name)).path()));
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

void TstInventory::missingFile_isAnEmptyInventory()
{
    const auto inventory = loadInventory(path(u"nowhere"_s));
    QVERIFY(inventory);
    QVERIFY(inventory->hosts.isEmpty());
    QVERIFY(inventory->files.isEmpty());
    QCOMPARE(inventory->mainFile, path(u"nowhere/hosts.toml"_s));
}

void TstInventory::example_isReadWhole()
{
    write(u"hosts.toml"_s, R"(
[[host]]
name = "gpu1"                      # unique; shown everywhere
ssh = "root@10.0.0.5:2222"
tags = ["prod", "rack-3"]
access = "normal"
sudo = "nopasswd"
expected_gpus = 8
threshold_mib = 500

[[host.service]]
name = "kimi"
unit = "vllm-kimi-k25.service"
scope = "user"
gpus = [0, 1, "GPU-5f2e9b0c"]
health = "http://127.0.0.1:8000/health"
model = "kimi-k2.5"
drain = "/opt/lb/drain gpu1"
undrain = "/opt/lb/undrain gpu1"

[[host.service]]
name = "embed"
unit = "embed"

[[host]]
name = "gpu2"
)");
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY2(inventory, qPrintable(inventory ? QString() : inventory.error().detail));
    QCOMPARE(inventory->files, QStringList{path(u"hosts.toml"_s)});
    QCOMPARE(inventory->hosts.size(), 2);
    HostSpec gpu1;
    gpu1.name = u"gpu1"_s;
    gpu1.ssh = u"root@10.0.0.5:2222"_s;
    gpu1.tags = QStringList{u"prod"_s, u"rack-3"_s};
    gpu1.access = Access::Normal;
    gpu1.sudo = SudoPolicy::NoPassword;
    gpu1.expectedGpus = 8;
    gpu1.thresholdMib = 500;
    gpu1.source = path(u"hosts.toml"_s);
    gpu1.origin = HostOrigin::OwnFile;
    ServiceSpec kimi;
    kimi.name = u"kimi"_s;
    kimi.unit = u"vllm-kimi-k25.service"_s;
    kimi.userScope = true;
    kimi.gpus = QStringList{u"0"_s, u"1"_s, u"GPU-5f2e9b0c"_s};
    kimi.health = u"http://127.0.0.1:8000/health"_s;
    kimi.model = u"kimi-k2.5"_s;
    kimi.drain = u"/opt/lb/drain gpu1"_s;
    kimi.undrain = u"/opt/lb/undrain gpu1"_s;
    ServiceSpec embed;
    embed.name = u"embed"_s;
    embed.unit = u"embed"_s;
    gpu1.services = {kimi, embed};
    QCOMPARE(inventory->hosts.at(0), gpu1);
}

void TstInventory::defaults_standWhereNothingIsWritten()
{
    write(u"hosts.toml"_s, "[[host]]\nname = \"gpu2\"\n");
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(inventory);
    const HostSpec host = inventory->hosts.value(0);
    QCOMPARE(host.ssh, u"gpu2"_s);
    QCOMPARE(host.access, Access::Confirm);
    QCOMPARE(host.sudo, SudoPolicy::Never);
    QCOMPARE(host.expectedGpus, 0);
    QCOMPARE(host.thresholdMib, 1000);
    QVERIFY(host.tags.isEmpty());
    QVERIFY(host.services.isEmpty());
    QCOMPARE(host.origin, HostOrigin::OwnFile);
    QVERIFY(readOnlyReason(host).isEmpty());
}

void TstInventory::includes_comeFirstAndAreReadOnly()
{
    write(u"hosts.toml"_s, "include = [\"team/hosts.toml\"]\n[[host]]\nname = \"own\"\n");
    write(u"team/hosts.toml"_s, "include = [\"../more.toml\"]\n[[host]]\nname = \"team\"\n");
    write(u"more.toml"_s, "[[host]]\nname = \"more\"\n");
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(inventory);
    QStringList names;
    QList<HostOrigin> origins;
    for (const HostSpec &host : inventory->hosts) {
        names += host.name;
        origins += host.origin;
    }
    QCOMPARE(names, (QStringList{u"more"_s, u"team"_s, u"own"_s}));
    QCOMPARE(origins, (QList<HostOrigin>{HostOrigin::Included, HostOrigin::Included, HostOrigin::OwnFile}));
    QCOMPARE(
        readOnlyReason(inventory->hosts.at(0)),
        u"\"more\" stands in %1, a file that hosts.toml includes; it is changed there by whoever keeps that file."_s
            .arg(path(u"more.toml"_s)));
    QCOMPARE(inventory->files,
             (QStringList{path(u"hosts.toml"_s), path(u"team/hosts.toml"_s), path(u"more.toml"_s)}));
    QCOMPARE(inventory->hosts.at(1).source, path(u"team/hosts.toml"_s));
}

void TstInventory::include_readTwice_isMergedOnce()
{
    write(u"hosts.toml"_s, "include = [\"a.toml\", \"b.toml\", \"./a.toml\"]\n");
    write(u"a.toml"_s, "[[host]]\nname = \"a\"\n");
    write(u"b.toml"_s, "include = [\"a.toml\"]\n");
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY2(inventory, qPrintable(inventory ? QString() : inventory.error().detail));
    QCOMPARE(inventory->hosts.size(), 1);
}

void TstInventory::broken_saysWhereAndWhat_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("place");
    QTest::addColumn<QString>("what");
    const auto row = [](const char *name, const char *text, const QString &place, const QString &what) {
        QTest::newRow(name) << QByteArray(text) << place << what;
    };
    row("syntax", "[[host]]\nname = \n", u"2:8"_s, {});
    row("unclosed table", "[[host\nname = \"a\"", u"1:7"_s, {});
    row("key twice", "[[host]]\nname = \"a\"\nname = \"b\"\n", u"3:8"_s, {});
    row("unknown key of the file", "inclde = []\n", u"1:1"_s,
        u"unknown key \"inclde\" in the file, perhaps \"include\" is meant; expected one of host, include."_s);
    row("unknown key of a host", "[[host]]\nname = \"a\"\nacess = \"normal\"\n", u"3:1"_s,
        u"unknown key \"acess\" in [[host]], perhaps \"access\" is meant; expected one of access, expected_gpus, name, "
        u"service, ssh, sudo, tags, threshold_mib."_s);
    row("unknown key with two letters swapped", "[[host]]\nnmae = \"a\"\nname = \"a\"\n", u"2:1"_s,
        u"unknown key \"nmae\" in [[host]], perhaps \"name\" is meant; expected one of access, expected_gpus, name, "
        u"service, ssh, sudo, tags, threshold_mib."_s);
    row("unknown key with dashes and capitals", "[[host]]\nname = \"a\"\nExpected-GPUs = 8\n", u"3:1"_s,
        u"unknown key \"Expected-GPUs\" in [[host]], perhaps \"expected_gpus\" is meant; expected one of access, "
        u"expected_gpus, name, service, ssh, sudo, tags, threshold_mib."_s);
    row("a tag with an escape character", "[[host]]\nname = \"a\"\ntags = [\"\\u001b\"]\n", u"3:9"_s,
        u"expected strings of 1 to 512 printable characters in \"tags\"."_s);
    row("a tag of nothing", "[[host]]\nname = \"a\"\ntags = [\"\"]\n", u"3:9"_s,
        u"expected strings of 1 to 512 printable characters in \"tags\"."_s);
    row("unknown key of a service", "[[host]]\nname = \"a\"\n[[host.service]]\nname = \"s\"\nunit = \"u\"\nport = 1\n",
        u"6:1"_s,
        u"unknown key \"port\" in [[host.service]]; expected one of drain, gpus, health, model, name, scope, undrain, "
        u"unit."_s);
    row("host without a name", "[[host]]\nssh = \"gpu1\"\n", u"1:1"_s,
        u"[[host]] without \"name\": expected a string."_s);
    row("name that is a number", "[[host]]\nname = 1\n", u"2:8"_s,
        u"expected a string for \"name\", found an integer."_s);
    row("name with a slash", "[[host]]\nname = \"a/b\"\n", u"2:8"_s,
        u"expected a printable name without a slash, blanks around it or a dash before it."_s);
    row("name with an escape character", "[[host]]\nname = \"a\\u001bb\"\n", u"2:8"_s,
        u"expected a string of at most 4096 printable characters for \"name\"."_s);
    row("name that is no target", "[[host]]\nname = \"gpu one\"\n", u"2:8"_s,
        u"expected an SSH alias or [user@]host[:port], found \"gpu one\" (no \"ssh\" is given)."_s);
    row("name twice", "[[host]]\nname = \"a\"\n[[host]]\nname = \"a\"\n", u"3:1"_s,
        u"expected a name of its own, but \"a\" stands at FILE:1:1 already."_s);
    row("ssh with a dash", "[[host]]\nname = \"a\"\nssh = \"-oProxyCommand=x\"\n", u"3:7"_s,
        u"expected an SSH alias or [user@]host[:port], found \"-oProxyCommand=x\"."_s);
    row("ssh that is empty", "[[host]]\nname = \"a\"\nssh = \"\"\n", u"3:7"_s,
        u"expected an SSH alias or [user@]host[:port], found \"\"."_s);
    row("ssh with a port out of range", "[[host]]\nname = \"a\"\nssh = \"a:70000\"\n", u"3:7"_s,
        u"expected an SSH alias or [user@]host[:port], found \"a:70000\"."_s);
    row("access unheard of", "[[host]]\nname = \"a\"\naccess = \"root\"\n", u"3:10"_s,
        u"expected one of \"read-only\", \"confirm\", \"normal\" for \"access\", found \"root\"."_s);
    row("sudo as a boolean", "[[host]]\nname = \"a\"\nsudo = true\n", u"3:8"_s,
        u"expected one of \"never\", \"nopasswd\", \"ask\" for \"sudo\", found a boolean."_s);
    row("tags as a string", "[[host]]\nname = \"a\"\ntags = \"prod\"\n", u"3:8"_s,
        u"expected an array for \"tags\", found a string."_s);
    row("a tag that is a number", "[[host]]\nname = \"a\"\ntags = [\"prod\", 7]\n", u"3:17"_s,
        u"expected strings in \"tags\", found an integer."_s);
    row("expected_gpus below nothing", "[[host]]\nname = \"a\"\nexpected_gpus = -1\n", u"3:17"_s,
        u"expected an integer from 0 to 4096 for \"expected_gpus\", found -1."_s);
    row("expected_gpus beyond an int", "[[host]]\nname = \"a\"\nexpected_gpus = 9223372036854775807\n", u"3:17"_s,
        u"expected an integer from 0 to 4096 for \"expected_gpus\", found 9223372036854775807."_s);
    row("threshold with a point", "[[host]]\nname = \"a\"\nthreshold_mib = 1.5\n", u"3:17"_s,
        u"expected an integer from 0 to 100000000 for \"threshold_mib\", found a number with a point."_s);
    row("threshold as a date", "[[host]]\nname = \"a\"\nthreshold_mib = 2026-01-01\n", u"3:17"_s,
        u"expected an integer from 0 to 100000000 for \"threshold_mib\", found a date or time."_s);
    row("host as a table", "[host]\nname = \"a\"\n", u"1:1"_s,
        u"expected tables headed [[host]] for \"host\", found a table."_s);
    row("hosts as strings", "host = [\"a\"]\n", u"1:9"_s, u"expected tables headed [[host]], found a string."_s);
    row("service as a table", "[[host]]\nname = \"a\"\n[host.service]\nname = \"s\"\n", u"3:1"_s,
        u"expected tables headed [[host.service]] for \"service\", found a table."_s);
    row("service without a unit", "[[host]]\nname = \"a\"\n[[host.service]]\nname = \"s\"\n", u"3:1"_s,
        u"[[host.service]] without \"unit\": expected a string."_s);
    row("service with a bad unit", "[[host]]\nname = \"a\"\n[[host.service]]\nname = \"s\"\nunit = \"a b\"\n", u"5:8"_s,
        u"expected the name of a systemd unit like \"vllm.service\", found \"a b\"."_s);
    row("service twice",
        "[[host]]\nname = \"a\"\n[[host.service]]\nname = \"s\"\nunit = \"u\"\n[[host.service]]\nname = \"s\"\nunit = "
        "\"v\"\n",
        u"7:8"_s, u"the service \"s\" stands twice in this host."_s);
    row("scope unheard of",
        "[[host]]\nname = \"a\"\n[[host.service]]\nname = \"s\"\nunit = \"u\"\nscope = \"root\"\n", u"6:9"_s,
        u"expected one of \"system\", \"user\" for \"scope\", found \"root\"."_s);
    row("health that is no URL",
        "[[host]]\nname = \"a\"\n[[host.service]]\nname = \"s\"\nunit = \"u\"\nhealth = \"8000/health\"\n", u"6:10"_s,
        u"expected a URL like \"http://127.0.0.1:8000/health\", found \"8000/health\"."_s);
    row("GPU below nothing", "[[host]]\nname = \"a\"\n[[host.service]]\nname = \"s\"\nunit = \"u\"\ngpus = [0, -1]\n",
        u"6:12"_s, u"expected GPU indices or UUIDs (\"GPU-…\") in \"gpus\"."_s);
    row("GPU by a word", "[[host]]\nname = \"a\"\n[[host.service]]\nname = \"s\"\nunit = \"u\"\ngpus = [\"all\"]\n",
        u"6:9"_s, u"expected GPU indices or UUIDs (\"GPU-…\") in \"gpus\"."_s);
    row("include as a string", "include = \"a.toml\"\n", u"1:11"_s,
        u"expected an array for \"include\", found a string."_s);
    row("include of a number", "include = [1]\n", u"1:12"_s, u"expected paths of files in \"include\"."_s);
    row("all of several", "[[host]]\nname = \"a\"\nzzz = 1\naccess = 1\n[[host]]\nname = \"a\"\nsudo = \"root\"\n",
        u"3:1"_s,
        u"unknown key \"zzz\" in [[host]]; expected one of access, expected_gpus, name, service, ssh, sudo, tags, "
        u"threshold_mib.\n"
        u"FILE:4:10: expected one of \"read-only\", \"confirm\", \"normal\" for \"access\", found an integer.\n"
        u"FILE:7:8: expected one of \"never\", \"nopasswd\", \"ask\" for \"sudo\", found \"root\"."_s);
}

void TstInventory::broken_saysWhereAndWhat()
{
    QFETCH(const QByteArray, text);
    QFETCH(const QString, place);
    QFETCH(QString, what);
    write(u"hosts.toml"_s, text);
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::InventoryInvalid);
    const QString file = path(u"hosts.toml"_s);
    const QString prefix = file + u':' + place + u": "_s;
    QVERIFY2(inventory.error().detail.startsWith(prefix), qPrintable(inventory.error().detail));
    what.replace(u"FILE"_s, file);
    if (!what.isEmpty()) // the TOML reader's own words are not ours to fix
        QCOMPARE(inventory.error().detail.mid(prefix.size()), what);
}

void TstInventory::brokenInclude_saysWhereAndWhat_data()
{
    QTest::addColumn<QString>("include");
    QTest::addColumn<QString>("what");
    QTest::newRow("missing") << u"none.toml"_s << u"DIR/none.toml does not exist."_s;
    QTest::newRow("folder") << u"."_s << u"DIR is not a file."_s;
    QTest::newRow("pipe") << u"pipe"_s << u"DIR/pipe is not a file."_s;
    QTest::newRow("socket") << u"socket"_s << u"DIR/socket is not a file."_s;
    QTest::newRow("too large") << u"large"_s << u"DIR/large cannot be read: it is larger than 8 MiB."_s;
    QTest::newRow("itself") << u"hosts.toml"_s
                            << u"DIR/hosts.toml includes itself in a circle: hosts.toml, hosts.toml."_s;
    QTest::newRow("itself by another way")
        << u"./sub/../hosts.toml"_s << u"DIR/hosts.toml includes itself in a circle: hosts.toml, hosts.toml."_s;
}

void TstInventory::brokenInclude_saysWhereAndWhat()
{
    QFETCH(const QString, include);
    QFETCH(QString, what);
    write(u"sub/empty.toml"_s, "");
    QCOMPARE(::mkfifo(QFile::encodeName(path(u"pipe"_s)).constData(), 0600), 0);
    QVERIFY(makeSocket(path(u"socket"_s)));
    QFile large(path(u"large"_s));
    QVERIFY(large.open(QIODevice::WriteOnly) && large.resize(8 * 1024 * 1024 + 1));
    write(u"hosts.toml"_s, "# comment\ninclude = [ \"" + include.toUtf8() + "\" ]\n");
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::InventoryInvalid);
    what.replace(u"DIR"_s, m_dir->path());
    QCOMPARE(inventory.error().detail, path(u"hosts.toml"_s) + u":2:13: the included file "_s + what);
}

void TstInventory::brokenIncludedFile_isNamedItself()
{
    write(u"hosts.toml"_s, "include = [\"a.toml\"]\n");
    write(u"a.toml"_s, "\n\n[[host]]\nnme = \"a\"\n");
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QVERIFY2(inventory.error().detail.startsWith(path(u"a.toml"_s) + u":3:1: "_s),
             qPrintable(inventory.error().detail));
}

void TstInventory::mistakesInSeveralFiles_areAllNamed()
{
    write(u"hosts.toml"_s,
          "include = [\"a.toml\", \"none.toml\", \"b.toml\"]\n[[host]]\nname = \"b\"\n[[host]]\nname = \"b\"\n");
    write(u"a.toml"_s, "[[host]]\nname = \n");
    write(u"b.toml"_s, "[[host]]\nname = \"b\"\n");
    const InventoryReading reading = readInventory(m_dir->path());
    QVERIFY(!reading.inventory);
    const QStringList lines = reading.inventory.error().detail.split(u'\n');
    QCOMPARE(lines.size(), 4);
    QVERIFY2(lines.at(0).startsWith(path(u"a.toml"_s) + u":2:8: "_s), qPrintable(lines.at(0)));
    QCOMPARE(lines.at(1),
             path(u"hosts.toml"_s) + u":1:22: the included file "_s + path(u"none.toml"_s) + u" does not exist."_s);
    for (const auto &[line, place] : {std::pair(2, u":2:1: "_s), std::pair(3, u":4:1: "_s)}) {
        QCOMPARE(lines.at(line),
                 path(u"hosts.toml"_s) + place + u"expected a name of its own, but \"b\" stands at "_s
                     + path(u"b.toml"_s) + u":1:1 already."_s);
    }
    // What it depends on, the missing file too.
    QCOMPARE(reading.files,
             (QStringList{path(u"hosts.toml"_s), path(u"a.toml"_s), path(u"none.toml"_s), path(u"b.toml"_s)}));
}

void TstInventory::moreMistakesThanAnybodyReads_areCounted()
{
    QByteArray text;
    for (int i = 0; i < 33; ++i)
        text += "[[host]]\nname = " + QByteArray::number(i) + '\n';
    write(u"hosts.toml"_s, text);
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().detail.split(u'\n').size(), 21);
    QVERIFY(inventory.error().detail.endsWith(u"\n13 more of the kind."_s));
}

void TstInventory::circleOfThree_isNamedWhole()
{
    write(u"hosts.toml"_s, "include = [\"a.toml\"]\n[[host]]\nname = \"h\"\n");
    write(u"a.toml"_s, "include = [\"b.toml\"]\n");
    write(u"b.toml"_s, "\ninclude = [\"a.toml\"]\n");
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().detail, path(u"b.toml"_s) + u":2:12: the included file "_s + path(u"a.toml"_s)
                                           + u" includes itself in a circle: a.toml, b.toml, a.toml."_s);
}

void TstInventory::whatIsNoFile_isALocalFailure_data()
{
    QTest::addColumn<QByteArray>("kind");
    QTest::newRow("pipe") << QByteArray("pipe"); // would wait for ever
    QTest::newRow("folder") << QByteArray("folder");
    QTest::newRow("socket") << QByteArray("socket");
    QTest::newRow("device") << QByteArray("device"); // would be read for ever
}

void TstInventory::whatIsNoFile_isALocalFailure()
{
    QFETCH(const QByteArray, kind);
    const QString file = path(u"hosts.toml"_s);
    if (kind == "pipe")
        QCOMPARE(::mkfifo(QFile::encodeName(file).constData(), 0600), 0);
    else if (kind == "folder")
        QVERIFY(QDir().mkpath(file));
    else if (kind == "socket")
        QVERIFY(makeSocket(file));
    else
        QVERIFY(QFile::link(u"/dev/zero"_s, file));
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::LocalIo);
    QCOMPARE(inventory.error().detail, file + u" cannot be read: it is not a file."_s);
    // Nor is a host written into it.
    HostSpec host;
    host.name = host.ssh = u"a"_s;
    const auto appended = appendHost(m_dir->path(), host);
    QVERIFY(!appended);
    QCOMPARE(appended.error().detail, inventory.error().detail);
    QVERIFY(!QFileInfo(file).isFile());
}

void TstInventory::textInUtf16_isNamedAsWhatItIs()
{
    write(u"hosts.toml"_s, QByteArray("#\n[\0[\0h\0", 8));
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().detail,
             path(u"hosts.toml"_s) + u":2:2: expected text in UTF-8, found a NUL byte: this is no TOML file."_s);
}

void TstInventory::sameNameInTwoFiles_namesBoth()
{
    write(u"hosts.toml"_s, "include = [\"a.toml\"]\n\n[[host]]\nname = \"a\"\n");
    write(u"a.toml"_s, "[[host]]\nname = \"a\"\n");
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().detail,
             path(u"hosts.toml"_s) + u":3:1: expected a name of its own, but \"a\" stands at "_s
                 + path(u"a.toml"_s) + u":1:1 already."_s);
}

void TstInventory::fileWithoutPermission_isALocalFailure_data()
{
    QTest::addColumn<QString>("closed");
    QTest::newRow("file") << u"folder/hosts.toml"_s;
    QTest::newRow("folder") << u"folder"_s;
}

void TstInventory::fileWithoutPermission_isALocalFailure()
{
    QFETCH(const QString, closed);
    write(u"folder/hosts.toml"_s, "");
    QVERIFY(QFile::setPermissions(path(closed), {}));
    QVERIFY(QFile::setPermissions(m_dir->path(), QFile::Permissions(0x7755)));
    // Root may read everything: then as somebody else.
    const uid_t me = ::geteuid();
    QVERIFY(me != 0 || ::seteuid(65534) == 0);
    const auto inventory = loadInventory(path(u"folder"_s));
    QVERIFY(me != 0 || ::seteuid(me) == 0);
    QVERIFY(QFile::setPermissions(path(closed), QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::LocalIo);
    QVERIFY(inventory.error().detail.contains(path(u"folder/hosts.toml"_s)));
}

void TstInventory::folderInPlaceOfTheFile_isALocalFailure()
{
    QVERIFY(QDir().mkpath(path(u"hosts.toml"_s)));
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::LocalIo);
    QVERIFY(inventory.error().detail.contains(path(u"hosts.toml"_s)));
}

void TstInventory::binaryNoise_isRefused()
{
    QByteArray noise;
    for (int i = 0; i < 4096; ++i)
        noise += char(i * 37 + 255);
    write(u"hosts.toml"_s, noise);
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::InventoryInvalid);
    QVERIFY(!inventory.error().detail.contains(u'\n'));
}

void TstInventory::overlongFile_isRefused()
{
    write(u"hosts.toml"_s, QByteArray(9 * 1024 * 1024, '#'));
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().detail, path(u"hosts.toml"_s) + u" cannot be read: it is larger than 8 MiB."_s);
}

void TstInventory::unitName_isCompletedOrRefused_data()
{
    QTest::addColumn<QString>("written");
    QTest::addColumn<QString>("full");
    QTest::newRow("bare") << u"vllm"_s << u"vllm.service"_s;
    QTest::newRow("full") << u"vllm.service"_s << u"vllm.service"_s;
    QTest::newRow("template") << u"vllm@gpu0"_s << u"vllm@gpu0.service"_s;
    QTest::newRow("with a version") << u"vllm-0.6.1"_s << u"vllm-0.6.1.service"_s;
    QTest::newRow("scope") << u"session-3.scope"_s << u"session-3.scope"_s;
    QTest::newRow("root slice") << u"-.slice"_s << QString();
    QTest::newRow("escaped") << u"a\\x2db.service"_s << u"a\\x2db.service"_s;
    QTest::newRow("empty") << QString() << QString();
    QTest::newRow("option") << u"--all"_s << QString();
    QTest::newRow("blank") << u"a b"_s << QString();
    QTest::newRow("line feed") << u"a\n"_s << QString();
    QTest::newRow("pattern") << u"vllm*"_s << QString();
    QTest::newRow("overlong") << QString(256, u'a') << QString();
    QTest::newRow("overlong with its suffix") << QString(250, u'a') << QString();
}

void TstInventory::unitName_isCompletedOrRefused()
{
    QFETCH(const QString, written);
    QFETCH(const QString, full);
    QCOMPARE(fullUnitName(written).value_or(QString()), full);
}

PILOTHOUSE_TEST_MAIN(TstInventory)
#include "tst_inventory.moc"

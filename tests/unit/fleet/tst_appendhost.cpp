// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/inventory.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <sys/resource.h>

#include <csignal>
#include <unistd.h>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstAppendHost final : public QObject
{
    Q_OBJECT
private slots:
    void init();
    void file_isMadeWithItsFolder();
    void everyOtherByteStays_data();
    void everyOtherByteStays();
    void everyField_comesBack();
    void hostileText_comesBack();
    void takenName_changesNothing();
    void nameTakenInAnInclude_changesNothing();
    void badHost_changesNothing_data();
    void badHost_changesNothing();
    void hostsAsAnInlineArray_areLeftAlone();
    void brokenFile_isLeftAlone();
    void mode_isKept();
    void symbolicLink_isKept();
    void fullDisk_leavesTheOldFile();
    void folderThatCannotBeMade_isALocalFailure();

private:
    [[nodiscard]] QString file() const { return m_dir->filePath(u"hosts.toml"_s); }
    void write(const QByteArray &text) const;
    [[nodiscard]] QByteArray read() const;
    [[nodiscard]] static HostSpec hostNamed(const QString &name);

    std::unique_ptr<QTemporaryDir> m_dir;
};

void TstAppendHost::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
}

void TstAppendHost::write(const QByteArray &text) const
{
    QFile out(file());
    QVERIFY(out.open(QIODevice::WriteOnly));
    QCOMPARE(out.write(text), text.size());
}

QByteArray TstAppendHost::read() const
{
    QFile in(file());
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray("unreadable");
}

HostSpec TstAppendHost::hostNamed(const QString &name)
{
    HostSpec host;
    host.name = name;
    host.ssh = name;
    return host;
}

void TstAppendHost::file_isMadeWithItsFolder()
{
    const QString folder = m_dir->filePath(u"a/b"_s);
    const auto inventory = appendHost(folder, hostNamed(u"gpu1"_s));
    QVERIFY2(inventory, qPrintable(inventory ? QString() : inventory.error().detail));
    QCOMPARE(inventory->hosts.size(), 1);
    QFile made(folder + u"/hosts.toml"_s);
    QVERIFY(made.open(QIODevice::ReadOnly));
    QCOMPARE(made.readAll(), QByteArray("[[host]]\nname = \"gpu1\"\naccess = \"confirm\"\n"));
}

void TstAppendHost::everyOtherByteStays_data()
{
    QTest::addColumn<QByteArray>("before");
    QTest::addColumn<QByteArray>("added");
    const QByteArray plain = "[[host]]\nname = \"new\"\naccess = \"confirm\"\n";
    QTest::newRow("empty") << QByteArray() << plain;
    QTest::newRow("comment without a line end") << QByteArray("# mine") << QByteArray("\n\n" + plain);
    QTest::newRow("comments, order and odd blanks")
        << QByteArray("# head\n\n  [[host]]   # first\n\tname='b'\n\nthreshold_mib=1_000\n\n\n# tail\n")
        << QByteArray("\n" + plain);
    QTest::newRow("a service at the end")
        << QByteArray("[[host]]\nname = \"b\"\n[[host.service]]\nname = \"s\"\nunit = \"u\"\n")
        << QByteArray("\n" + plain);
    QTest::newRow("CR LF") << QByteArray("[[host]]\r\nname = \"b\"\r\n")
                           << QByteArray("\r\n[[host]]\r\nname = \"new\"\r\naccess = \"confirm\"\r\n");
    QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF[[host]]\nname = \"b\"\n") << QByteArray("\n" + plain);
    QTest::newRow("multi-line strings") << QByteArray("[[host]]\nname = \"b\"\ntags = [\n  \"x\", # why\n]\n")
                                        << QByteArray("\n" + plain);
}

void TstAppendHost::everyOtherByteStays()
{
    QFETCH(const QByteArray, before);
    QFETCH(const QByteArray, added);
    write(before);
    const auto inventory = appendHost(m_dir->path(), hostNamed(u"new"_s));
    QVERIFY2(inventory, qPrintable(inventory ? QString() : inventory.error().detail));
    QCOMPARE(read(), before + added);
    QCOMPARE(inventory->hosts.last().name, u"new"_s);
}

void TstAppendHost::everyField_comesBack()
{
    HostSpec host = hostNamed(u"gpu1"_s);
    host.ssh = u"root@[fe80::1]:2222"_s;
    host.tags = QStringList{u"prod"_s, u"rack \"3\""_s};
    host.access = Access::ReadOnly;
    host.sudo = SudoPolicy::Ask;
    host.expectedGpus = 8;
    host.thresholdMib = 10;
    ServiceSpec service;
    service.name = u"kimi"_s;
    service.unit = u"vllm.service"_s;
    service.userScope = true;
    service.gpus = QStringList{u"0"_s, u"7"_s, u"GPU-5f2e"_s};
    service.health = u"http://127.0.0.1:8000/health"_s;
    service.model = u"kimi"_s;
    service.drain = u"/opt/lb/drain 'gpu 1' \\ \"x\""_s;
    service.undrain = u"/opt/lb/undrain"_s;
    host.services = {service, service};
    host.services[1].name = u"other"_s;
    QVERIFY(appendHost(m_dir->path(), host));
    const auto inventory = loadInventory(m_dir->path());
    QVERIFY(inventory);
    host.source = file();
    host.origin = HostOrigin::OwnFile;
    QCOMPARE(inventory->hosts, QList<HostSpec>{host});
}

void TstAppendHost::hostileText_comesBack()
{
    HostSpec host = hostNamed(u"gpu1"_s);
    host.tags = QStringList{u"\"]\\"_s, u"# no comment"_s, u"Größe 🚀"_s, u"'''"_s};
    const auto inventory = appendHost(m_dir->path(), host);
    QVERIFY2(inventory, qPrintable(inventory ? QString() : inventory.error().detail));
    QCOMPARE(inventory->hosts.value(0).tags, host.tags);
}

void TstAppendHost::takenName_changesNothing()
{
    const QByteArray before = "[[host]]\nname = \"gpu1\"\n";
    write(before);
    const auto inventory = appendHost(m_dir->path(), hostNamed(u"gpu1"_s));
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::InventoryInvalid);
    QCOMPARE(inventory.error().detail, u"The name \"gpu1\" is taken by a host in "_s + file() + u'.');
    QCOMPARE(read(), before);
}

void TstAppendHost::nameTakenInAnInclude_changesNothing()
{
    QFile team(m_dir->filePath(u"team.toml"_s));
    QVERIFY(team.open(QIODevice::WriteOnly));
    team.write("[[host]]\nname = \"gpu1\"\n");
    team.close();
    const QByteArray before = "include = [\"team.toml\"]\n";
    write(before);
    const auto inventory = appendHost(m_dir->path(), hostNamed(u"gpu1"_s));
    QVERIFY(!inventory);
    QVERIFY(inventory.error().detail.contains(u"team.toml"_s));
    QCOMPARE(read(), before);
}

void TstAppendHost::badHost_changesNothing_data()
{
    QTest::addColumn<HostSpec>("host");
    QTest::newRow("empty name") << HostSpec{};
    QTest::newRow("name that is no target") << hostNamed(u"two words"_s);
    QTest::newRow("name with a line feed") << hostNamed(u"a\nb"_s);
    HostSpec host = hostNamed(u"a"_s);
    host.ssh = u"-oProxyCommand=x"_s;
    QTest::newRow("ssh with a dash") << host;
    host = hostNamed(u"a"_s);
    host.expectedGpus = -3;
    QTest::newRow("negative count") << host;
    host = hostNamed(u"a"_s);
    host.services = {ServiceSpec{}};
    QTest::newRow("empty service") << host;
    host = hostNamed(u"a"_s);
    host.tags = QStringList{u"a\u202Eb"_s};
    QTest::newRow("tag that does not read back the same") << host;
}

void TstAppendHost::badHost_changesNothing()
{
    QFETCH(const HostSpec, host);
    const QByteArray before = "# mine\n";
    write(before);
    const auto inventory = appendHost(m_dir->path(), host);
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::InventoryInvalid);
    QCOMPARE(read(), before);
}

void TstAppendHost::hostsAsAnInlineArray_areLeftAlone()
{
    const QByteArray before = "host = [ { name = \"a\" } ]\n";
    write(before);
    QVERIFY(loadInventory(m_dir->path()));
    const auto inventory = appendHost(m_dir->path(), hostNamed(u"b"_s));
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::InventoryInvalid);
    QCOMPARE(read(), before);
}

void TstAppendHost::brokenFile_isLeftAlone()
{
    const QByteArray before = "[[host]\n";
    write(before);
    const auto inventory = appendHost(m_dir->path(), hostNamed(u"b"_s));
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::InventoryInvalid);
    QCOMPARE(read(), before);
}

void TstAppendHost::mode_isKept()
{
    write("");
    const auto mode = QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup;
    QVERIFY(QFile::setPermissions(file(), mode));
    QVERIFY(appendHost(m_dir->path(), hostNamed(u"a"_s)));
    QCOMPARE(QFile::permissions(file()) & ~(QFile::ReadUser | QFile::WriteUser), QFile::Permissions(mode));
}

void TstAppendHost::symbolicLink_isKept()
{
    const QString real = m_dir->filePath(u"dotfiles.toml"_s);
    QFile out(real);
    QVERIFY(out.open(QIODevice::WriteOnly));
    out.write("# mine\n");
    out.close();
    QVERIFY(QFile::link(real, file()));
    QVERIFY(appendHost(m_dir->path(), hostNamed(u"a"_s)));
    QCOMPARE(QFileInfo(file()).symLinkTarget(), real);
    QVERIFY(QFile(real).size() > 20);
}

void TstAppendHost::fullDisk_leavesTheOldFile()
{
    const QByteArray before = "# mine\n";
    write(before);
    // A limit on the size of files stands for a full disk: the write itself fails.
    rlimit old{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &old), 0);
    const auto oldHandler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit tiny{20, old.rlim_max};
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &tiny), 0);
    const auto inventory = appendHost(m_dir->path(), hostNamed(u"a"_s));
    setrlimit(RLIMIT_FSIZE, &old);
    std::signal(SIGXFSZ, oldHandler);
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::LocalIo);
    QCOMPARE(read(), before);
    QCOMPARE(QDir(m_dir->path()).entryList(QDir::Files), QStringList{u"hosts.toml"_s});
}

void TstAppendHost::folderThatCannotBeMade_isALocalFailure()
{
    write("");
    const auto inventory = appendHost(file() + u"/below-a-file"_s, hostNamed(u"a"_s));
    QVERIFY(!inventory);
    QCOMPARE(inventory.error().code, ErrorCode::LocalIo);
}

PILOTHOUSE_TEST_MAIN(TstAppendHost)
#include "tst_appendhost.moc"

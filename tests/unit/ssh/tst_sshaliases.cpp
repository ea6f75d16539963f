// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshaliases.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>

#include <memory>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstSshAliases final : public QObject
{
    Q_OBJECT
private slots:
    void init();

    void line_split_data();
    void line_split();
    void aliases_inOrderOnceWithoutPatterns();
    void aliases_withFileAndLine();
    void aliases_ofIncludedFiles();
    void include_relativeToTheRightFolder();
    void include_severalWordsAndGlobInOrder();
    void include_loopEnds();
    void include_depthEnds();
    void include_missingIsSilent();
    void include_folderAndHugeAreNamed();
    void files_missingConfigurationIsEmpty();
    void files_binaryGivesNothing();
    void scan_dependsOnMore_data();
    void scan_dependsOnMore();
    void roots_ofTheOption();

private:
    QString path(const QString &name) const { return m_dir->filePath(name); }
    void write(const QString &name, const QByteArray &text) const;
    QStringList names() const;

    std::unique_ptr<QTemporaryDir> m_dir;
    SshConfigRoots m_roots;
};

void TstSshAliases::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(QDir(m_dir->path()).mkpath(u".ssh/conf.d"_s));
    QVERIFY(QDir(m_dir->path()).mkpath(u"etc"_s));
    m_roots = SshConfigRoots::of({}, m_dir->path());
    m_roots.systemFolder = path(u"etc"_s);
    m_roots.systemFile = path(u"etc/ssh_config"_s);
}

void TstSshAliases::write(const QString &name, const QByteArray &text) const
{
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(text), text.size());
}

QStringList TstSshAliases::names() const
{
    QStringList names;
    for (const SshAlias &alias : listSshAliases(m_roots).aliases)
        names += alias.name;
    return names;
}

void TstSshAliases::line_split_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("keyword");
    QTest::addColumn<QStringList>("arguments");
    const auto row = [](const char *name, const QString &text, const QString &keyword,
                        const QStringList &arguments) {
        QTest::newRow(name) << text << keyword << arguments;
    };
    row("empty", {}, {}, {});
    row("blanks", u" \t "_s, {}, {});
    row("comment", u"  # Host gpu1"_s, {}, {});
    row("plain", u"Host gpu1 gpu2"_s, u"host"_s, {u"gpu1"_s, u"gpu2"_s});
    row("indented, tabs", u"\t Host\tgpu1\t"_s, u"host"_s, {u"gpu1"_s});
    row("equals", u"Host=gpu1"_s, u"host"_s, {u"gpu1"_s});
    row("equals with blanks", u"HOST = gpu1"_s, u"host"_s, {u"gpu1"_s});
    row("equals in an argument", u"SetEnv A=b"_s, u"setenv"_s, {u"A=b"_s});
    row("dos", u"Host gpu1\r"_s, u"host"_s, {u"gpu1"_s});
    row("quoted", u"Include \"a b\" c"_s, u"include"_s, {u"a b"_s, u"c"_s});
    row("single quotes", u"Include 'a b'"_s, u"include"_s, {u"a b"_s});
    row("quote in a word", u"Include a\" \"b"_s, u"include"_s, {u"a b"_s});
    row("escaped quote", u"Include \"a\\\"b\""_s, u"include"_s, {u"a\"b"_s});
    row("backslash", u"Include a\\b"_s, u"include"_s, {u"a\\b"_s});
    row("comment behind", u"Host gpu1 # the first"_s, u"host"_s, {u"gpu1"_s});
    row("hash in a word", u"Host gpu#1"_s, u"host"_s, {u"gpu#1"_s});
    row("empty quotes", u"Host \"\""_s, u"host"_s, {QString()});
    row("quote not closed", u"Host \"gpu1"_s, u"host"_s, {u"gpu1"_s});
    row("keyword alone", u"Host"_s, u"host"_s, {});
    row("no keyword", u"= gpu1"_s, {}, {});
    row("empty quoted keyword", u"\"\" gpu1"_s, {}, {});
    row("quote as keyword", u"\" gpu1"_s, {}, {});
    row("quoted keyword", u"\"Host\" gpu1"_s, u"host"_s, {u"gpu1"_s});
}

void TstSshAliases::line_split()
{
    QFETCH(QString, text);
    QFETCH(QString, keyword);
    QFETCH(QStringList, arguments);
    const SshConfigLine line = splitSshConfigLine(text);
    QCOMPARE(line.keyword, keyword);
    QCOMPARE(line.arguments, arguments);
}

void TstSshAliases::aliases_inOrderOnceWithoutPatterns()
{
    write(u".ssh/config"_s, "Host gpu1 gpu2 gpu* !gpu9 gpu?\n  HostName x\nHost *\nHost gpu2 alpha "
                            "GPU1\nMatch host other\nHost -bad bad/name \"\"\n"
                            "Host user@host host:22 \"quoted\"\n");
    QCOMPARE(names(), (QStringList{u"gpu1"_s, u"gpu2"_s, u"alpha"_s, u"GPU1"_s, u"quoted"_s}));
}

void TstSshAliases::aliases_withFileAndLine()
{
    write(u".ssh/config"_s, "# mine\n\nHost gpu1\n  HostName x\nHost gpu2\n");
    const QList<SshAlias> aliases = listSshAliases(m_roots).aliases;
    QCOMPARE(aliases.size(), 2);
    QCOMPARE(aliases[0], (SshAlias{u"gpu1"_s, path(u".ssh/config"_s), 3}));
    QCOMPARE(aliases[1], (SshAlias{u"gpu2"_s, path(u".ssh/config"_s), 5}));
}

void TstSshAliases::aliases_ofIncludedFiles()
{
    write(u".ssh/config"_s, "Host first\nInclude conf.d/rack\nHost last\n");
    write(u".ssh/conf.d/rack"_s, "\nHost middle\n");
    write(u"etc/ssh_config"_s, "Host system\n");
    QCOMPARE(names(), (QStringList{u"first"_s, u"middle"_s, u"last"_s, u"system"_s}));
    QCOMPARE(listSshAliases(m_roots).aliases[1],
             (SshAlias{u"middle"_s, path(u".ssh/conf.d/rack"_s), 2}));
}

void TstSshAliases::include_relativeToTheRightFolder()
{
    write(u".ssh/config"_s, "Include more\nInclude ~/abroad\n");
    write(u".ssh/more"_s, "Host user\nInclude conf.d/deep\n"); // still relative to ~/.ssh
    write(u".ssh/conf.d/deep"_s, "Host deep\nInclude more2\n");
    write(u".ssh/more2"_s, "Host deeper\n");
    write(u"abroad"_s, "Host abroad\n");
    write(u"etc/ssh_config"_s, "Include more\n");
    write(u"etc/more"_s, "Host system\n");
    QCOMPARE(names(), (QStringList{u"user"_s, u"deep"_s, u"deeper"_s, u"abroad"_s, u"system"_s}));
}

void TstSshAliases::include_severalWordsAndGlobInOrder()
{
    write(u".ssh/config"_s, "Include conf.d/*.conf \"conf.d/with blank\"\n");
    write(u".ssh/conf.d/b.conf"_s, "Host b\n");
    write(u".ssh/conf.d/a.conf"_s, "Host a\n");
    write(u".ssh/conf.d/skipped"_s, "Host skipped\n");
    write(u".ssh/conf.d/with blank"_s, "Host blank\n");
    QCOMPARE(names(), (QStringList{u"a"_s, u"b"_s, u"blank"_s}));
}

void TstSshAliases::include_loopEnds()
{
    write(u".ssh/config"_s, "Host a\nInclude other\n");
    write(u".ssh/other"_s, "Host b\nInclude config\nInclude other\n");
    QCOMPARE(names(), (QStringList{u"a"_s, u"b"_s}));
    QVERIFY(!listSshAliases(m_roots).unreadable.isEmpty());
}

void TstSshAliases::include_depthEnds()
{
    for (int i = 0; i < 30; ++i)
        write(u".ssh/f%1"_s.arg(i),
              "Host h" + QByteArray::number(i) + "\nInclude f" + QByteArray::number(i + 1) + "\n");
    write(u".ssh/config"_s, "Include f0\n");
    QCOMPARE(names().size(), 16);
    QCOMPARE(listSshAliases(m_roots).unreadable, QStringList{path(u".ssh/f16"_s)});
}

void TstSshAliases::include_missingIsSilent()
{
    write(u".ssh/config"_s, "Include nowhere conf.d/*.conf\nHost a\n");
    const SshAliasList list = listSshAliases(m_roots);
    QCOMPARE(list.aliases.size(), 1);
    QVERIFY(list.unreadable.isEmpty());
}

void TstSshAliases::include_folderAndHugeAreNamed()
{
    write(u".ssh/config"_s, "Include conf.d big\nHost a\n");
    write(u".ssh/big"_s, "Host b\n" + QByteArray(2 << 20, '#'));
    const SshAliasList list = listSshAliases(m_roots);
    QCOMPARE(list.aliases.size(), 1);
    QCOMPARE(list.unreadable, (QStringList{path(u".ssh/conf.d"_s), path(u".ssh/big"_s)}));
}

void TstSshAliases::files_missingConfigurationIsEmpty()
{
    QVERIFY(names().isEmpty());
    QVERIFY(scanSshConfig(m_roots, [](const SshConfigLine &) {}).files.isEmpty());
}

void TstSshAliases::files_binaryGivesNothing()
{
    QByteArray noise(4096, '\0');
    for (qsizetype i = 0; i < noise.size(); ++i)
        noise[i] = char(i * 37 + i / 11);
    write(u".ssh/config"_s, noise + QByteArray("\nHost ok\nHost n\0ul\n", 19));
    QCOMPARE(names(), QStringList{u"ok"_s});
}

void TstSshAliases::scan_dependsOnMore_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<bool>("more");
    QTest::newRow("plain") << QByteArray("Host a\n  User b\n") << false;
    QTest::newRow("match host") << QByteArray("Match host a\n") << false;
    QTest::newRow("match exec") << QByteArray("Match host a exec \"true\"\n") << true;
    QTest::newRow("match not exec") << QByteArray("match !EXEC true\n") << true;
    QTest::newRow("match exec with equals") << QByteArray("Match exec=\"true\"\n") << true;
    QTest::newRow("match localnetwork") << QByteArray("Match localnetwork 10.0.0.0/8\n") << true;
    QTest::newRow("canonical names") << QByteArray("CanonicalizeHostname yes\n") << true;
    QTest::newRow("no canonical names") << QByteArray("CanonicalizeHostname no\n") << false;
    QTest::newRow("cnames") << QByteArray("CanonicalizePermittedCNAMEs *:*\n") << true;
    QTest::newRow("include by a variable") << QByteArray("Include ${RACK}/config\n") << true;
    QTest::newRow("include by a token") << QByteArray("Include %d/config\n") << true;
}

void TstSshAliases::scan_dependsOnMore()
{
    QFETCH(QByteArray, config);
    QFETCH(bool, more);
    write(u".ssh/config"_s, config);
    QCOMPARE(scanSshConfig(m_roots, [](const SshConfigLine &) {}).dependsOnMore, more);
}

void TstSshAliases::roots_ofTheOption()
{
    const SshConfigRoots own = SshConfigRoots::of({}, u"/home/op"_s);
    QCOMPARE(own.userFile, u"/home/op/.ssh/config"_s);
    QCOMPARE(own.systemFile, u"/etc/ssh/ssh_config"_s);
    const SshConfigRoots given = SshConfigRoots::of(u"/x/config"_s, u"/home/op"_s);
    QCOMPARE(given.userFile, u"/x/config"_s);
    QVERIFY(given.systemFile.isEmpty()); // as ssh -F
    QCOMPARE(given.userFolder, u"/home/op/.ssh"_s);
}

PILOTHOUSE_TEST_MAIN(TstSshAliases)
#include "tst_sshaliases.moc"

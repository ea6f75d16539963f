// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Our reading of `ssh -G` against the ssh of this machine.
#include "core/ssh/sshcommandline.h"
#include "core/ssh/sshconfig.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

struct Output
{
    int exitCode = -1;
    QByteArray out;
    QString err;
};

Output runSsh(const QStringList &arguments)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"KEYS"_s, u"/env/a b"_s);
    process.setProcessEnvironment(environment);
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(u"ssh"_s, arguments);
    if (!process.waitForFinished(20'000))
        return {};
    return {process.exitCode(), process.readAllStandardOutput(),
            QString::fromUtf8(process.readAllStandardError())};
}

LocalIdentity self()
{
    LocalIdentity identity = LocalIdentity::current();
    identity.environment.insert(u"KEYS"_s, u"/env/a b"_s);
    return identity;
}

} // namespace

class TstSshConfigOpenSsh final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void table_knowsEveryKeywordPrinted_data();
    void table_knowsEveryKeywordPrinted();
    void defaults_areUnderstood();
    void identityFile_expandedAsSshDoes_data();
    void identityFile_expandedAsSshDoes();
    void identityFile_refusedAsSshDoes_data();
    void identityFile_refusedAsSshDoes();
    void paths_comeThrough_data();
    void paths_comeThrough();
    void commandLine_meansTheSameToSsh_data();
    void commandLine_meansTheSameToSsh();

private:
    QString configWith(const QByteArray &text) const;

    QTemporaryDir m_dir;
};

void TstSshConfigOpenSsh::initTestCase()
{
    if (QStandardPaths::findExecutable(u"ssh"_s).isEmpty())
        PILOTHOUSE_SKIP("needs openssh-client");
}

QString TstSshConfigOpenSsh::configWith(const QByteArray &text) const
{
    QFile file(m_dir.filePath(u"config"_s));
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size())
        qFatal("cannot write");
    return file.fileName();
}

void TstSshConfigOpenSsh::table_knowsEveryKeywordPrinted_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::newRow("defaults") << QByteArray();
    // Keywords that are printed only when they are set.
    QTest::newRow("set") << QByteArray(
        "BindAddress 127.0.0.1\nBindInterface lo\nCertificateFile /c\nControlPath "
        "/p\nDynamicForward 1080\n"
        "GSSAPIClientIdentity a\nGSSAPIServerIdentity b\nHostKeyAlias k\nIdentityAgent "
        "/a\nIgnoreUnknown zzz\n"
        "KbdInteractiveDevices pam\nKnownHostsCommand /bin/true\nLocalCommand true\nLocalForward "
        "8000 localhost:80\n"
        "PKCS11Provider /lib/p.so\nPreferredAuthentications publickey\nRemoteCommand true\n"
        "RemoteForward 9000 localhost:90\nRevokedHostKeys /r\nSendEnv A\nSetEnv B=c\nLogVerbose "
        "kex.c:*\n"
        "PermitRemoteOpen any\nCanonicalDomains a.b\nForwardAgent yes\n");
    QTest::newRow("jump") << QByteArray("ProxyJump bastion\n");
    QTest::newRow("proxy") << QByteArray("ProxyCommand nc %h %p\n");
}

void TstSshConfigOpenSsh::table_knowsEveryKeywordPrinted()
{
    QFETCH(QByteArray, config);
    const Output output = runSsh({u"-G"_s, u"-F"_s, configWith(config), u"--"_s, u"gpu1"_s});
    QVERIFY2(output.exitCode == 0, qPrintable(output.err));
    const Result<ResolvedHost> host = parseSshConfig(output.out, u"gpu1"_s, self());
    QVERIFY2(host, host ? "" : qPrintable(host.error().detail));
    QVERIFY(host->all.size() > 60);
    for (auto keyword = host->all.keyBegin(); keyword != host->all.keyEnd(); ++keyword)
        QVERIFY2(
            policyOf(*keyword) != SshKeywordPolicy::Unknown,
            qPrintable(*keyword
                       + u" is in no table: judge it in core/ssh/README.md and sshpolicy.cpp"_s));
    for (const QByteArray &line : config.split('\n')) {
        const QString keyword = QString::fromUtf8(line).section(u' ', 0, 0).toLower();
        QVERIFY2(keyword.isEmpty() || host->all.contains(keyword), qPrintable(keyword));
    }
}

void TstSshConfigOpenSsh::defaults_areUnderstood()
{
    const Output output = runSsh({u"-G"_s, u"-F"_s, u"none"_s, u"--"_s, u"gpu1"_s});
    const Result<ResolvedHost> host = parseSshConfig(output.out, u"gpu1"_s, self());
    QVERIFY(host);
    QVERIFY(checkSshConfig(*host));
    QCOMPARE(host->user, self().user);
    QCOMPARE(host->userKnownHostsFiles.constFirst(), self().home + u"/.ssh/known_hosts"_s);
    QVERIFY(host->identityFiles.contains(self().home + u"/.ssh/id_ed25519"_s));
    QCOMPARE(host->strictHostKeyChecking, u"ask"_s);
}

void TstSshConfigOpenSsh::identityFile_expandedAsSshDoes_data()
{
    QTest::addColumn<QByteArray>("written");
    for (const char *written : {"~/.ssh/some_key", "/k/with blank", "/k/%h/%n/%p/%r/%k",
                                "/k/%d/%u/%i", "/k/%L/%l", "/k/%C", "/k/100%%", "/k/%%h",
                                "${KEYS}/x", "/k/$KEYS", "relative/key", "%d/.ssh/id", "/k/it's"})
        QTest::newRow(written) << QByteArray(written);
}

void TstSshConfigOpenSsh::identityFile_expandedAsSshDoes()
{
    QFETCH(QByteArray, written);
    const QString config = configWith(
        "Host gpu1\n  HostName Real.Example\n  User alice\n  Port 2222\n  HostKeyAlias gpu.alias\n"
        "  IdentityFile \""
        + written + "\"\n");
    const Output output = runSsh({u"-G"_s, u"-F"_s, config, u"--"_s, u"gpu1"_s});
    const Result<ResolvedHost> host = parseSshConfig(output.out, u"gpu1"_s, self());
    QVERIFY2(host, host ? "" : qPrintable(host.error().detail));
    QCOMPARE(host->identityFiles.size(), 1);
    // ssh itself opens its keys once it has a connection, here to a command that says nothing, and
    // tells with -v.
    const Output opened = runSsh({u"-v"_s, u"-F"_s, config, u"-o"_s, u"ProxyCommand=true"_s,
                                  u"-o"_s, u"BatchMode=yes"_s, u"gpu1"_s});
    QVERIFY2(
        opened.err.contains(u"identity file "_s + host->identityFiles.constFirst() + u" type"_s),
        qPrintable(host->identityFiles.constFirst() + u'\n' + opened.err));
}

void TstSshConfigOpenSsh::identityFile_refusedAsSshDoes_data()
{
    QTest::addColumn<QByteArray>("written");
    for (const char *written : {"/k/%Z", "/k/%", "/k/${PILOTHOUSE_NO_SUCH}", "/k/${}", "/k/${KEYS"})
        QTest::newRow(written) << QByteArray(written);
}

void TstSshConfigOpenSsh::identityFile_refusedAsSshDoes()
{
    QFETCH(QByteArray, written);
    const QString config = configWith("IdentityFile " + written + "\n");
    const Output output = runSsh({u"-G"_s, u"-F"_s, config, u"--"_s, u"gpu1"_s});
    if (output.exitCode == 0) // some are refused by ssh -G already
        QVERIFY(!parseSshConfig(output.out, u"gpu1"_s, self()));
    const Output opened =
        runSsh({u"-v"_s, u"-F"_s, config, u"-o"_s, u"ProxyCommand=true"_s, u"gpu1"_s});
    QVERIFY2(!opened.err.contains("identity file"_L1), qPrintable(opened.err));
}

void TstSshConfigOpenSsh::paths_comeThrough_data()
{
    QTest::addColumn<QByteArray>("config");
    QTest::addColumn<QStringList>("userFiles");
    QTest::newRow("two") << QByteArray("UserKnownHostsFile /a /b") << QStringList{u"/a"_s, u"/b"_s};
    QTest::newRow("blank") << QByteArray("UserKnownHostsFile \"/a b\" /c")
                           << QStringList{u"/a b"_s, u"/c"_s};
    QTest::newRow("tokens") << QByteArray("UserKnownHostsFile /a-%h-%p-%%h")
                            << QStringList{u"/a-gpu1-22-%h"_s};
    QTest::newRow("home") << QByteArray("UserKnownHostsFile ~/kh")
                          << QStringList{self().home + u"/kh"_s};
    QTest::newRow("variable") << QByteArray("UserKnownHostsFile ${KEYS}/kh")
                              << QStringList{u"/env/a b/kh"_s};
    QTest::newRow("none") << QByteArray("UserKnownHostsFile none") << QStringList();
}

void TstSshConfigOpenSsh::paths_comeThrough()
{
    QFETCH(QByteArray, config);
    QFETCH(QStringList, userFiles);
    const Output output = runSsh({u"-G"_s, u"-F"_s, configWith(config + '\n'), u"--"_s, u"gpu1"_s});
    const Result<ResolvedHost> host = parseSshConfig(output.out, u"gpu1"_s, self());
    QVERIFY(host);
    QCOMPARE(host->userKnownHostsFiles, userFiles);
}

void TstSshConfigOpenSsh::commandLine_meansTheSameToSsh_data()
{
    QTest::addColumn<QString>("file");
    QTest::newRow("plain") << u"/tmp/file"_s;
    QTest::newRow("blank") << u"/tmp/a file"_s;
    QTest::newRow("percent") << u"/tmp/100%h"_s;
    QTest::newRow("quotes") << u"/tmp/it's \"that\""_s;
    QTest::newRow("backslash") << u"/tmp/a\\b"_s;
    QTest::newRow("hash") << u"/tmp/a #b"_s;
}

void TstSshConfigOpenSsh::commandLine_meansTheSameToSsh()
{
    QFETCH(QString, file);
    ConnectionSettings settings;
    settings.target = {u"bob"_s, u"gpu1"_s, quint16(2200)};
    settings.sshConfigFile =
        configWith("Host gpu1\n  HostName real.example\n  User alice\n  IdentityFile /own\n");
    settings.knownHostsFile = file;
    settings.identityFile = file;
    QStringList words = sshCommandLine(settings);
    QCOMPARE(words.takeFirst(), u"ssh"_s);
    const Output output = runSsh(QStringList{u"-G"_s} + words);
    QVERIFY2(output.exitCode == 0, qPrintable(output.err));
    const Result<ResolvedHost> host = parseSshConfig(output.out, u"gpu1"_s, self());
    QVERIFY(host);
    QCOMPARE(host->hostName, u"real.example"_s);
    QCOMPARE(host->user, u"bob"_s);
    QCOMPARE(host->port, quint16(2200));
    QCOMPARE(host->identityFiles.constFirst(), file);
    QVERIFY(host->identitiesOnly);
    QCOMPARE(host->userKnownHostsFiles, QStringList{file});
    QVERIFY(host->globalKnownHostsFiles.isEmpty());
}

PILOTHOUSE_TEST_MAIN(TstSshConfigOpenSsh)
#include "tst_sshconfigopenssh.moc"

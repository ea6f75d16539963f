// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshconfig.h"
#include "core/ssh/sshpathtokens.h"
#include "tests/support/testmain.h"

#include <QCryptographicHash>
#include <QFile>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

const LocalIdentity op{u"/home/op"_s,
                       u"op"_s,
                       u"1000"_s,
                       u"desk.example"_s,
                       {{u"KEYS"_s, u"/env"_s}, {u"AGENT"_s, u"/run/a b"_s}}};

/// A fixture without its first line, which says where it came from.
QByteArray fixture(const QString &name)
{
    QFile file(QString::fromUtf8(PILOTHOUSE_TEST_DATA) + u"/ssh/"_s + name);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("fixture missing");
    file.readLine();
    return file.readAll();
}

QByteArray minimal(const QByteArray &more = {})
{
    return "host gpu1\nuser op\nhostname gpu1.example\nport 22\n" + more;
}

Result<ResolvedHost> parsed(const QByteArray &more)
{
    return parseSshConfig(minimal(more), u"gpu1"_s, op);
}

} // namespace

class TstSshConfig final : public QObject
{
    Q_OBJECT
private slots:
    void parse_defaults();
    void parse_everythingSet();
    void parse_minimal();
    void parse_rejects_data();
    void parse_rejects();
    void parse_overlongIsRejected();
    void parse_everyTruncationIsAnAnswer();
    void parse_keepsWhatItDoesNotKnow();
    void parse_flags_data();
    void parse_flags();
    void parse_strictness_data();
    void parse_strictness();
    void parse_identityFiles_data();
    void parse_identityFiles();
    void parse_identityFiles_rejected_data();
    void parse_identityFiles_rejected();
    void parse_knownHostsFiles_data();
    void parse_knownHostsFiles();
    void parse_identityAgent_data();
    void parse_identityAgent();
    void parse_connectionHash();
    void identity_ofThisProcess();
};

void TstSshConfig::parse_defaults()
{
    const Result<ResolvedHost> host = parseSshConfig(fixture(u"g-defaults.txt"_s), u"plain"_s, op);
    QVERIFY2(host, host ? "" : qPrintable(host.error().detail));
    QCOMPARE(host->alias, u"plain"_s);
    QCOMPARE(host->hostName, u"plain"_s);
    QCOMPARE(host->user, u"op"_s);
    QCOMPARE(host->port, quint16(22));
    QCOMPARE(host->identityFiles.size(), 7);
    QCOMPARE(host->identityFiles.constFirst(), u"/home/op/.ssh/id_rsa"_s);
    QVERIFY(host->certificateFiles.isEmpty());
    QVERIFY(host->identityAgent.isEmpty());
    QVERIFY(!host->identitiesOnly);
    QCOMPARE(host->userKnownHostsFiles,
             (QStringList{u"/home/op/.ssh/known_hosts"_s, u"/home/op/.ssh/known_hosts2"_s}));
    QCOMPARE(host->globalKnownHostsFiles,
             (QStringList{u"/etc/ssh/ssh_known_hosts"_s, u"/etc/ssh/ssh_known_hosts2"_s}));
    QVERIFY(host->hostKeyAlias.isEmpty() && host->proxyJump.isEmpty()
            && host->proxyCommand.isEmpty());
    QVERIFY(host->bindAddress.isEmpty() && host->bindInterface.isEmpty()
            && host->revokedHostKeys.isEmpty());
    QCOMPARE(host->addressFamily, u"any"_s);
    QCOMPARE(host->strictHostKeyChecking, u"ask"_s);
    QVERIFY(host->preferredAuthentications.isEmpty());
    QVERIFY(host->passwordAuthentication && host->pubkeyAuthentication
            && host->kbdInteractiveAuthentication);
    QVERIFY(!host->hashKnownHosts && !host->batchMode);
    QCOMPARE(host->connectTimeoutS, 0);
    QCOMPARE(host->serverAliveIntervalS, 0);
    QCOMPARE(host->serverAliveCountMax, 3);
    QCOMPARE(host->requiredRsaSize, 1024);
    QCOMPARE(host->rekeyLimit, u"0 0"_s);
    QVERIFY(host->hostKeyAlgorithms.contains(u"ssh-ed25519,"_s));
    QVERIFY(host->kexAlgorithms.contains(u"curve25519-sha256,"_s));
    QVERIFY(host->ciphers.startsWith(u"chacha20-poly1305@openssh.com,"_s));
    QVERIFY(host->macs.contains(u"hmac-sha2-256,"_s));
    QVERIFY(host->pubkeyAcceptedAlgorithms.contains(u"rsa-sha2-512,"_s));
    QVERIFY(checkSshConfig(*host));
}

void TstSshConfig::parse_everythingSet()
{
    const Result<ResolvedHost> host = parseSshConfig(fixture(u"g-gpu1.txt"_s), u"gpu1"_s, op);
    QVERIFY2(host, host ? "" : qPrintable(host.error().detail));
    QCOMPARE(host->hostName, u"real.example"_s);
    QCOMPARE(host->user, u"alice"_s);
    QCOMPARE(host->port, quint16(2222));
    const QByteArray hash =
        QCryptographicHash::hash("desk.examplereal.example2222alice", QCryptographicHash::Sha1)
            .toHex();
    QCOMPARE(
        host->identityFiles,
        (QStringList{
            u"/home/op/.ssh/my_key"_s, u"/keys/with blank"_s,
            u"/keys/real.example-gpu1-2222-alice-op-%x-/home/op-1000-desk-desk.example-gpu.alias-"_s
                + QString::fromLatin1(hash),
            u"/env/a"_s}));
    QCOMPARE(host->certificateFiles,
             (QStringList{u"/home/op/cert-real.example"_s, u"/certs/with blank"_s}));
    QCOMPARE(host->userKnownHostsFiles,
             (QStringList{u"/home/op/.ssh/kh_real.example"_s, u"/home/op/.ssh/kh two"_s,
                          u"/tmp/gpu.alias"_s}));
    QCOMPARE(host->globalKnownHostsFiles, (QStringList{u"/etc/a"_s, u"/etc/b c"_s}));
    QCOMPARE(host->identityAgent, u"/home/op/agent-real.example.sock"_s);
    QCOMPARE(host->hostKeyAlias, u"gpu.alias"_s);
    QCOMPARE(host->bindAddress, u"127.0.0.1"_s);
    QVERIFY(host->identitiesOnly && host->hashKnownHosts && host->batchMode);
    QVERIFY(!host->passwordAuthentication);
    QCOMPARE(host->preferredAuthentications, (QStringList{u"publickey"_s, u"password"_s}));
    QCOMPARE(host->connectTimeoutS, 7);
    QCOMPARE(host->serverAliveIntervalS, 3);
    QCOMPARE(host->serverAliveCountMax, 5);
    QCOMPARE(host->strictHostKeyChecking, u"accept-new"_s);
    QCOMPARE(host->rekeyLimit, u"1073741824 3600"_s);
    QCOMPARE(host->requiredRsaSize, 2048);
    QCOMPARE(host->all.value(u"setenv"_s), (QStringList{u"A=b"_s, u"C=d e"_s}));
    QVERIFY(checkSshConfig(*host));
}

void TstSshConfig::parse_minimal()
{
    const Result<ResolvedHost> host = parsed({});
    QVERIFY(host);
    QCOMPARE(host->hostName, u"gpu1.example"_s);
    QVERIFY(host->identityFiles.isEmpty());
    QVERIFY(host->userKnownHostsFiles.isEmpty());
    const Result<ResolvedHost> dos = parseSshConfig(minimal().replace("\n", "\r\n"), u"gpu1"_s, op);
    QVERIFY(dos);
    QCOMPARE(dos->hostName, host->hostName);
    const Result<ResolvedHost> utf8 = parsed("identityfile /k/ü\n");
    QVERIFY(utf8);
    QCOMPARE(utf8->identityFiles, QStringList{u"/k/ü"_s});
}

void TstSshConfig::parse_rejects_data()
{
    QTest::addColumn<QByteArray>("output");
    QTest::newRow("empty") << QByteArray();
    QTest::newRow("no host name") << QByteArray("user op\nport 22\n");
    QTest::newRow("no user") << QByteArray("hostname x\nport 22\n");
    QTest::newRow("no port") << QByteArray("hostname x\nuser op\n");
    QTest::newRow("port zero") << QByteArray("hostname x\nuser op\nport 0\n");
    QTest::newRow("port too large") << QByteArray("hostname x\nuser op\nport 65536\n");
    QTest::newRow("port negative") << QByteArray("hostname x\nuser op\nport -1\n");
    QTest::newRow("port overflows") << QByteArray("hostname x\nuser op\nport 4294967318\n");
    QTest::newRow("port is a word") << QByteArray("hostname x\nuser op\nport ssh\n");
    QTest::newRow("host name with a blank") << QByteArray("hostname x y\nuser op\nport 22\n");
    QTest::newRow("host name with an escape")
        << QByteArray("hostname x\x1b[0m\nuser op\nport 22\n");
    QTest::newRow("host name with a dash") << QByteArray("hostname -oX\nuser op\nport 22\n");
    QTest::newRow("user with a dash") << QByteArray("hostname x\nuser -op\nport 22\n");
    QTest::newRow("binary") << minimal(QByteArray("identityfile a\0b\n", 17));
    QTest::newRow("two host names") << minimal("hostname elsewhere\n");
    QTest::newRow("two proxy jumps") << minimal("proxyjump none\nproxyjump bastion\n");
    QTest::newRow("a flag that is none") << minimal("identitiesonly perhaps\n");
    QTest::newRow("a number that is none") << minimal("serveraliveinterval often\n");
    QTest::newRow("a negative number") << minimal("connecttimeout -5\n");
    QTest::newRow("an answer of another program")
        << QByteArray("usage: ssh [-46AaCfGgKkMNnqsTtVvXxYy]\n");
}

void TstSshConfig::parse_rejects()
{
    QFETCH(QByteArray, output);
    const Result<ResolvedHost> host = parseSshConfig(output, u"gpu1"_s, op);
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::SshConfigInvalid);
    QVERIFY(host.error().detail.endsWith(u'.'));
    QVERIFY(!host.error().detail.contains(u'\x1b'));
}

void TstSshConfig::parse_overlongIsRejected()
{
    QVERIFY(parsed("sendenv " + QByteArray(500'000, 'x') + "\n"));
    QVERIFY(!parsed("sendenv " + QByteArray(1 << 20, 'x') + "\n"));
}

void TstSshConfig::parse_everyTruncationIsAnAnswer()
{
    const QByteArray whole = fixture(u"g-gpu1.txt"_s);
    for (qsizetype cut = 0; cut < whole.size(); cut += 7) {
        const Result<ResolvedHost> host = parseSshConfig(whole.left(cut), u"gpu1"_s, op);
        if (!host)
            QCOMPARE(host.error().code, ErrorCode::SshConfigInvalid);
    }
}

void TstSshConfig::parse_keepsWhatItDoesNotKnow()
{
    const Result<ResolvedHost> host = parsed("quantumTunnel yes please\nquantumtunnel no\nbare\n");
    QVERIFY(host);
    QCOMPARE(host->all.value(u"quantumtunnel"_s), (QStringList{u"yes please"_s, u"no"_s}));
    QCOMPARE(host->all.value(u"bare"_s), QStringList{QString()});
    QVERIFY(checkSshConfig(*host));
}

void TstSshConfig::parse_flags_data()
{
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<bool>("on");
    QTest::newRow("yes") << QByteArray("yes") << true;
    QTest::newRow("true") << QByteArray("true") << true;
    QTest::newRow("no") << QByteArray("no") << false;
    QTest::newRow("false") << QByteArray("false") << false;
    QTest::newRow("unbound") << QByteArray("unbound") << true;
    QTest::newRow("host-bound") << QByteArray("host-bound") << true;
}

void TstSshConfig::parse_flags()
{
    QFETCH(QByteArray, word);
    QFETCH(bool, on);
    const Result<ResolvedHost> host =
        parsed("pubkeyauthentication " + word + "\nidentitiesonly " + word + "\nhashknownhosts "
               + word + "\nkbdinteractiveauthentication " + word + "\n");
    QVERIFY(host);
    QCOMPARE(host->pubkeyAuthentication, on);
    QCOMPARE(host->identitiesOnly, on);
    QCOMPARE(host->hashKnownHosts, on);
    QCOMPARE(host->kbdInteractiveAuthentication, on);
}

void TstSshConfig::parse_strictness_data()
{
    QTest::addColumn<QByteArray>("word");
    QTest::addColumn<QString>("strictness");
    QTest::newRow("true, as 9.2 prints yes") << QByteArray("true") << u"yes"_s;
    QTest::newRow("yes") << QByteArray("yes") << u"yes"_s;
    QTest::newRow("false, as 9.2 prints no") << QByteArray("false") << u"no"_s;
    QTest::newRow("off") << QByteArray("off") << u"no"_s;
    QTest::newRow("ask") << QByteArray("ask") << u"ask"_s;
    QTest::newRow("accept-new") << QByteArray("accept-new") << u"accept-new"_s;
}

void TstSshConfig::parse_strictness()
{
    QFETCH(QByteArray, word);
    QFETCH(QString, strictness);
    const Result<ResolvedHost> host = parsed("stricthostkeychecking " + word + "\n");
    QVERIFY(host);
    QCOMPARE(host->strictHostKeyChecking, strictness);
}

void TstSshConfig::parse_identityFiles_data()
{
    QTest::addColumn<QByteArray>("written");
    QTest::addColumn<QStringList>("paths");
    QTest::newRow("home") << QByteArray("~/.ssh/id") << QStringList{u"/home/op/.ssh/id"_s};
    QTest::newRow("home alone") << QByteArray("~") << QStringList{u"/home/op"_s};
    QTest::newRow("blank") << QByteArray("/k/a b ~/c") << QStringList{u"/k/a b ~/c"_s};
    QTest::newRow("none") << QByteArray("none") << QStringList();
    QTest::newRow("None") << QByteArray("None") << QStringList();
    QTest::newRow("percent") << QByteArray("/k/100%%") << QStringList{u"/k/100%"_s};
    QTest::newRow("percent from a percent") << QByteArray("/k/%%h") << QStringList{u"/k/%h"_s};
    QTest::newRow("host") << QByteArray("/k/%h.%p") << QStringList{u"/k/gpu1.example.22"_s};
    QTest::newRow("alias") << QByteArray("/k/%n%k") << QStringList{u"/k/gpu1gpu1"_s};
    QTest::newRow("home as a token")
        << QByteArray("%d/.ssh/%r") << QStringList{u"/home/op/.ssh/op"_s};
    QTest::newRow("variable") << QByteArray("${KEYS}/${AGENT}") << QStringList{u"/env//run/a b"_s};
    QTest::newRow("dollar alone") << QByteArray("/k/$KEYS") << QStringList{u"/k/$KEYS"_s};
    QTest::newRow("dollar last") << QByteArray("/k/$") << QStringList{u"/k/$"_s};
    QTest::newRow("no jump host") << QByteArray("/k/%j") << QStringList{u"/k/"_s};
    QTest::newRow("tilde inside") << QByteArray("/k/~/x") << QStringList{u"/k/~/x"_s};
}

void TstSshConfig::parse_identityFiles()
{
    QFETCH(QByteArray, written);
    QFETCH(QStringList, paths);
    for (const QByteArray keyword : {"identityfile ", "certificatefile "}) {
        const Result<ResolvedHost> host = parsed(keyword + written + "\n");
        QVERIFY2(host, host ? "" : qPrintable(host.error().detail));
        QCOMPARE(keyword.startsWith('i') ? host->identityFiles : host->certificateFiles, paths);
    }
}

void TstSshConfig::parse_identityFiles_rejected_data()
{
    QTest::addColumn<QByteArray>("written");
    QTest::newRow("unknown token") << QByteArray("/k/%Z");
    QTest::newRow("percent last") << QByteArray("/k/%");
    QTest::newRow("unset variable") << QByteArray("/k/${NOPE}");
    QTest::newRow("empty variable name") << QByteArray("/k/${}");
    QTest::newRow("variable not closed") << QByteArray("/k/${KEYS");
    QTest::newRow("home of another") << QByteArray("~root/.ssh/id");
}

void TstSshConfig::parse_identityFiles_rejected()
{
    QFETCH(QByteArray, written);
    const Result<ResolvedHost> host = parsed("identityfile " + written + "\n");
    QVERIFY(!host);
    QCOMPARE(host.error().code, ErrorCode::SshConfigInvalid);
    QVERIFY(host.error().detail.contains(u"identityfile"_s));
    QVERIFY(host.error().detail.contains(QString::fromUtf8(written)));
}

void TstSshConfig::parse_knownHostsFiles_data()
{
    QTest::addColumn<QByteArray>("written");
    QTest::addColumn<QStringList>("paths");
    QTest::newRow("one") << QByteArray("/a") << QStringList{u"/a"_s};
    QTest::newRow("two") << QByteArray("/a ~/b") << QStringList{u"/a"_s, u"/home/op/b"_s};
    QTest::newRow("blank in the first") << QByteArray("/a b /c") << QStringList{u"/a b"_s, u"/c"_s};
    QTest::newRow("none") << QByteArray("none") << QStringList();
    QTest::newRow("null device") << QByteArray("/dev/null") << QStringList{u"/dev/null"_s};
    QTest::newRow("empty") << QByteArray("") << QStringList();
    QTest::newRow("percent is no token any more") << QByteArray("/a%h") << QStringList{u"/a%h"_s};
    QTest::newRow("blanks at the end") << QByteArray("/a /") << QStringList{u"/a"_s, u"/"_s};
}

void TstSshConfig::parse_knownHostsFiles()
{
    QFETCH(QByteArray, written);
    QFETCH(QStringList, paths);
    const Result<ResolvedHost> host =
        parsed("userknownhostsfile " + written + "\nglobalknownhostsfile " + written + "\n");
    QVERIFY(host);
    QCOMPARE(host->userKnownHostsFiles, paths);
    QCOMPARE(host->globalKnownHostsFiles, paths);
}

void TstSshConfig::parse_identityAgent_data()
{
    QTest::addColumn<QByteArray>("written");
    QTest::addColumn<QString>("socket");
    QTest::newRow("path") << QByteArray("/run/a b.sock") << u"/run/a b.sock"_s;
    QTest::newRow("home") << QByteArray("~/a.sock") << u"/home/op/a.sock"_s;
    QTest::newRow("the usual variable") << QByteArray("SSH_AUTH_SOCK") << QString();
    QTest::newRow("another variable") << QByteArray("$AGENT") << u"/run/a b"_s;
    QTest::newRow("unset variable: no agent") << QByteArray("$NOPE") << u"none"_s;
    QTest::newRow("none") << QByteArray("none") << u"none"_s;
}

void TstSshConfig::parse_identityAgent()
{
    QFETCH(QByteArray, written);
    QFETCH(QString, socket);
    const Result<ResolvedHost> host = parsed("identityagent " + written + "\n");
    QVERIFY(host);
    QCOMPARE(host->identityAgent, socket);
}

void TstSshConfig::parse_connectionHash()
{
    // `ssh -G -o ControlPath=%C` for root@gpu1.example:22 on a machine named desk, OpenSSH_9.2p1:
    // see tst_sshconfigopenssh, which asks ssh itself; here only that it does not depend on the
    // alias.
    const Result<ResolvedHost> a = parseSshConfig(minimal("identityfile %C\n"), u"a"_s, op);
    const Result<ResolvedHost> b = parseSshConfig(minimal("identityfile %C\n"), u"b"_s, op);
    QVERIFY(a && b);
    QCOMPARE(a->identityFiles, b->identityFiles);
    QCOMPARE(a->identityFiles.constFirst().size(), 40);
}

void TstSshConfig::identity_ofThisProcess()
{
    const LocalIdentity self = LocalIdentity::current();
    QVERIFY(self.home.startsWith(u'/'));
    QVERIFY(!self.user.isEmpty());
    QVERIFY(!self.hostName.isEmpty());
    QCOMPARE(self.environment.value(u"TZ"_s), u"UTC"_s); // set by the test's main
}

PILOTHOUSE_TEST_MAIN(TstSshConfig)
#include "tst_sshconfig.moc"

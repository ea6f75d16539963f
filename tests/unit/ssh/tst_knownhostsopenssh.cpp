// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Our known_hosts reader against OpenSSH on this machine: the same files, the same key, the same
// verdict. The server is `sshd -i` as the client's ProxyCommand, so that no port is opened.
#include "core/ssh/knownhosts.h"
#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>

#include <unistd.h>

using namespace pilothouse;
using namespace Qt::StringLiterals;

using Kind = KnownHostsVerdict::Kind;

namespace {

struct Output
{
    int exitCode = -1;
    QString text;
};

Output run(const QString &program, const QStringList &arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(program, arguments);
    if (!process.waitForFinished(20'000))
        return {};
    return {process.exitCode(), QString::fromUtf8(process.readAll())};
}

} // namespace

class TstKnownHostsOpenSsh final : public QObject
{
    Q_OBJECT
private slots:
    void initTestCase();
    void verdict_asTheClient_data();
    void verdict_asTheClient();
    void name_foundAsBySshKeygen_data();
    void name_foundAsBySshKeygen();
    void hashedBySshKeygen_isFound();
    void storedByUs_isFoundBySshKeygen_data();
    void storedByUs_isFoundBySshKeygen();
    void storedByUs_letsTheClientIn_data();
    void storedByUs_letsTheClientIn();
    void fingerprint_asSshKeygen_data();
    void fingerprint_asSshKeygen();

private:
    QString path(const QString &name) const { return m_dir.filePath(name); }
    void write(const QString &name, const QByteArray &content) const;
    HostKey publicKey(const QString &name) const;
    QByteArray fill(QByteArray pattern) const;
    Kind clientVerdict(quint16 port, const QString &alias) const;

    QTemporaryDir m_dir;
    QString m_sshd;
};

void TstKnownHostsOpenSsh::write(const QString &name, const QByteArray &content) const
{
    QFile file(path(name));
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write(content), content.size());
}

HostKey TstKnownHostsOpenSsh::publicKey(const QString &name) const
{
    QFile file(path(name + u".pub"_s));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    return HostKey::fromBlob(QByteArray::fromBase64(file.readAll().split(' ').value(1)))
        .value_or(HostKey{});
}

/// A known_hosts file with KEY for the server's key, OTHER for another of its type, RSA for one of
/// another type.
QByteArray TstKnownHostsOpenSsh::fill(QByteArray pattern) const
{
    for (const auto &[word, name] :
         {std::pair{"KEY", "server"}, {"OTHER", "other"}, {"RSA", "rsa"}}) {
        const HostKey key = publicKey(QString::fromLatin1(name));
        pattern.replace(word, QByteArray(key.type.toLatin1() + ' ' + key.blob.toBase64()));
    }
    pattern.replace("BLOB", publicKey(u"server"_s).blob.toBase64());
    return pattern;
}

void TstKnownHostsOpenSsh::initTestCase()
{
    m_sshd = QStandardPaths::findExecutable(u"sshd"_s,
                                            {u"/usr/sbin"_s, u"/usr/local/sbin"_s, u"/usr/bin"_s});
    if (m_sshd.isEmpty() || QStandardPaths::findExecutable(u"ssh-keygen"_s).isEmpty())
        PILOTHOUSE_SKIP("needs openssh-server and openssh-client");
    if (::geteuid() == 0)
        QDir().mkpath(u"/run/sshd"_s); // sshd wants it to exist when root runs it
    for (const auto &[name, type] : {std::pair{u"server"_s, u"ed25519"_s},
                                     {u"other"_s, u"ed25519"_s},
                                     {u"rsa"_s, u"rsa"_s},
                                     {u"ecdsa"_s, u"ecdsa"_s}})
        QCOMPARE(run(u"ssh-keygen"_s, {u"-q"_s,
                                       u"-t"_s,
                                       type,
                                       u"-b"_s,
                                       type == "rsa"_L1 ? u"2048"_s : u"256"_s,
                                       u"-N"_s,
                                       {},
                                       u"-f"_s,
                                       path(name)})
                     .exitCode,
                 0);
    write(u"sshd_config"_s, "HostKey " + QFile::encodeName(path(u"server"_s))
                                + "\nUsePAM no\nStrictModes no\nPidFile none\n"
                                  "PasswordAuthentication no\nPubkeyAuthentication "
                                  "no\nKbdInteractiveAuthentication no\n");
}

/// What ssh makes of the file "kh": sign-in is refused by the server, so that a known key ends
/// there.
Kind TstKnownHostsOpenSsh::clientVerdict(quint16 port, const QString &alias) const
{
    QStringList arguments{u"-F"_s, u"none"_s, u"-p"_s, QString::number(port)};
    for (const QString &option :
         {QString(u"ProxyCommand="_s + m_sshd + u" -i -f "_s + path(u"sshd_config"_s)),
          QString(u"UserKnownHostsFile="_s + path(u"kh"_s)), u"GlobalKnownHostsFile=none"_s,
          u"StrictHostKeyChecking=yes"_s, u"BatchMode=yes"_s, u"HostKeyAlgorithms=ssh-ed25519"_s})
        arguments << u"-o"_s << option;
    if (!alias.isEmpty())
        arguments << u"-o"_s << QString(u"HostKeyAlias="_s + alias);
    const QString text = run(u"ssh"_s, arguments << u"host.example"_s << u"true"_s).text;
    if (text.contains("Permission denied"_L1))
        return Kind::Known;
    if (text.contains("REVOKED HOST KEY"_L1))
        return Kind::Revoked;
    if (text.contains("HAS CHANGED"_L1))
        return Kind::Changed;
    if (!text.contains("host key is known for"_L1))
        qWarning("unexpected answer of ssh: %s", qPrintable(text));
    return Kind::Unknown;
}

void TstKnownHostsOpenSsh::verdict_asTheClient_data()
{
    QTest::addColumn<QByteArray>("pattern");
    QTest::addColumn<int>("port");
    QTest::addColumn<QString>("alias");
    QTest::addColumn<Kind>(
        "stricter"); // what we say where we are stricter on purpose; Unknown: nothing of the kind
    const auto row = [](const char *name, const QByteArray &pattern, int port = 22,
                        const QString &alias = {}, Kind stricter = Kind::Unknown) {
        QTest::newRow(name) << pattern << port << alias << stricter;
    };
    row("known", "host.example KEY\n");
    row("unknown", "other.example KEY\n");
    row("changed", "host.example OTHER\n");
    row("old and new", "host.example OTHER\nhost.example KEY\n");
    row("other type", "host.example RSA\n"); // OpenSSH calls it changed as well
    row("other type and known", "host.example RSA\nhost.example KEY\n");
    row("capitals", "HOST.Example KEY\n");
    row("pattern", "*.example KEY\n");
    row("excluded", "*,!host.example KEY\n");
    row("dos", "host.example KEY\r\n");
    row("no final line feed", "host.example KEY");
    row("blanks", "  host.example \t KEY  comment\n");
    row("wrong type word", "host.example ssh-rsa BLOB\n");
    row("truncated", "host.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==\n");
    row("rubbish behind", "host.example ssh-ed25519 BLOB!\n");
    row("bytes behind", "host.example ssh-ed25519 BLOBAAAA\n");
    row("protocol 1", "host.example 1024 35 123\n");
    row("revoked", "@revoked * KEY\nhost.example KEY\n");
    row("revoked behind", "host.example KEY\n@revoked host.example KEY\n");
    row("another revoked", "@revoked * OTHER\nhost.example KEY\n");
    row("only another revoked", "@revoked * OTHER\n");
    row("authority", "@cert-authority * KEY\n");
    row("two markers", "@revoked @cert-authority * KEY\nhost.example KEY\n");
    row("unknown marker", "@revokd * KEY\nhost.example KEY\n");
    row("port", "[host.example]:2222 KEY\n", 2222);
    row("port, changed", "[host.example]:2222 OTHER\n", 2222);
    row("port, plain line", "host.example KEY\n", 2222);
    row("port, plain line changed", "host.example OTHER\n", 2222);
    row("port changed, plain line", "[host.example]:2222 OTHER\nhost.example KEY\n", 2222);
    row("port, plain line revoked", "host.example KEY\n@revoked host.example KEY\n", 2222);
    row("port known, plain line revoked", "[host.example]:2222 KEY\n@revoked host.example KEY\n",
        2222, {}, Kind::Revoked);
    row("alias", "gpu.alias KEY\n", 2222, u"gpu.alias"_s);
    row("alias with port", "[gpu.alias]:2222 KEY\n", 2222, u"gpu.alias"_s);
    row("alias, line of the host", "host.example KEY\n", 22, u"gpu.alias"_s);
    row("alias in capitals", "gpu.alias KEY\n", 22, u"GPU.Alias"_s);
    row("marker ended by a tab", "@revoked\t* KEY\nhost.example KEY\n", 22, {}, Kind::Revoked);
}

void TstKnownHostsOpenSsh::verdict_asTheClient()
{
    QFETCH(QByteArray, pattern);
    QFETCH(int, port);
    QFETCH(QString, alias);
    QFETCH(Kind, stricter);
    write(u"kh"_s, fill(pattern));
    const auto files = loadKnownHosts(QStringList{path(u"kh"_s)});
    QVERIFY(files);
    Kind ours =
        checkHostKey(*files, {u"host.example"_s, quint16(port), alias}, publicKey(u"server"_s))
            .kind;
    if (ours == Kind::OtherTypes)
        ours = Kind::Changed;
    const Kind theirs = clientVerdict(quint16(port), alias);
    if (stricter != Kind::Unknown) {
        QCOMPARE(ours, stricter);
        QVERIFY(theirs != stricter); // or it is no exception any more
    } else {
        QCOMPARE(ours, theirs);
    }
}

void TstKnownHostsOpenSsh::name_foundAsBySshKeygen_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name :
         {"plain", "PLAIN", "list", "other", "a.example", "bad.example", "h", "host", "rev", "ca",
          "lead", "tab", "a", "b", "comma", "only", "onlyy", "zzz"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TstKnownHostsOpenSsh::name_foundAsBySshKeygen()
{
    QFETCH(QString, name);
    write(u"names"_s, fill("plain KEY\nLIST,Other KEY\n*.example,!bad.example KEY\n[h]:2222 "
                           "KEY\nho?t KEY\n@revoked rev KEY\n"
                           "@cert-authority ca KEY\n  # comment\n   lead KEY "
                           "comment\n\ttab\tKEY\na,,b KEY\n,comma KEY\n!neg KEY\n"
                           "!only,*y KEY\n"));
    const QString text = run(u"ssh-keygen"_s, {u"-F"_s, name, u"-f"_s, path(u"names"_s)}).text;
    const auto files = loadKnownHosts(QStringList{path(u"names"_s)});
    QVERIFY(files);
    const KnownHostsVerdict verdict = checkHostKey(*files, {name, 22, {}}, publicKey(u"server"_s));
    const bool found = verdict.kind != Kind::Unknown || verdict.certAuthorityOnly;
    QCOMPARE(found, text.contains("found: line"_L1));
    if (verdict.kind == Kind::Known)
        QVERIFY2(text.contains(u"found: line %1"_s.arg(verdict.line)), qPrintable(text));
}

void TstKnownHostsOpenSsh::hashedBySshKeygen_isFound()
{
    write(u"hashed"_s, fill("gpu1,10.0.0.1 KEY\n[gpu2]:2222 OTHER\n@revoked gpu3 RSA\n"));
    QCOMPARE(run(u"ssh-keygen"_s, {u"-H"_s, u"-f"_s, path(u"hashed"_s)}).exitCode, 0);
    const auto files = loadKnownHosts(QStringList{path(u"hashed"_s)});
    QVERIFY(files);
    QVERIFY(files->constFirst().content.contains("|1|"));
    QVERIFY(!files->constFirst().content.contains("gpu1"));
    QCOMPARE(checkHostKey(*files, {u"gpu1"_s, 22, {}}, publicKey(u"server"_s)).kind, Kind::Known);
    QCOMPARE(checkHostKey(*files, {u"10.0.0.1"_s, 22, {}}, publicKey(u"server"_s)).kind,
             Kind::Known);
    QCOMPARE(checkHostKey(*files, {u"gpu1"_s, 22, {}}, publicKey(u"other"_s)).kind, Kind::Changed);
    QCOMPARE(checkHostKey(*files, {u"gpu2"_s, 2222, {}}, publicKey(u"other"_s)).kind, Kind::Known);
    QCOMPARE(checkHostKey(*files, {u"gpu2"_s, 22, {}}, publicKey(u"other"_s)).kind, Kind::Unknown);
    QCOMPARE(checkHostKey(*files, {u"gpu9"_s, 22, {}}, publicKey(u"server"_s)).kind, Kind::Unknown);
}

void TstKnownHostsOpenSsh::storedByUs_isFoundBySshKeygen_data()
{
    QTest::addColumn<KnownHostsName>("name");
    QTest::addColumn<QString>("asked");
    QTest::addColumn<bool>("hashed");
    for (const bool hashed : {false, true}) {
        const char *how = hashed ? "hashed" : "plain";
        QTest::addRow("name, %s", how)
            << KnownHostsName{u"GPU1.Example"_s, 22, {}} << u"gpu1.example"_s << hashed;
        QTest::addRow("port, %s", how)
            << KnownHostsName{u"gpu1"_s, 2222, {}} << u"[gpu1]:2222"_s << hashed;
        QTest::addRow("ipv6, %s", how)
            << KnownHostsName{u"fd00::5"_s, 22, {}} << u"fd00::5"_s << hashed;
        QTest::addRow("alias, %s", how)
            << KnownHostsName{u"x"_s, 2222, u"gpu.alias"_s} << u"gpu.alias"_s << hashed;
    }
}

void TstKnownHostsOpenSsh::storedByUs_isFoundBySshKeygen()
{
    QFETCH(KnownHostsName, name);
    QFETCH(QString, asked);
    QFETCH(bool, hashed);
    QFile::remove(path(u"stored"_s));
    QVERIFY(appendKnownHost(path(u"stored"_s), {u"first"_s, 22, {}}, publicKey(u"rsa"_s), hashed));
    QVERIFY(appendKnownHost(path(u"stored"_s), name, publicKey(u"server"_s), hashed));
    const Output found = run(u"ssh-keygen"_s, {u"-F"_s, asked, u"-f"_s, path(u"stored"_s)});
    QCOMPARE(found.exitCode, 0);
    QVERIFY2(found.text.contains("found: line 2"_L1), qPrintable(found.text));
}

void TstKnownHostsOpenSsh::storedByUs_letsTheClientIn_data()
{
    QTest::addColumn<bool>("hashed");
    QTest::newRow("plain") << false;
    QTest::newRow("hashed") << true;
}

void TstKnownHostsOpenSsh::storedByUs_letsTheClientIn()
{
    QFETCH(bool, hashed);
    write(u"kh"_s, "# no line feed at the end");
    QVERIFY(appendKnownHost(path(u"kh"_s), {u"host.example"_s, 2222, {}}, publicKey(u"server"_s),
                            hashed));
    QCOMPARE(clientVerdict(2222, {}), Kind::Known);
}

void TstKnownHostsOpenSsh::fingerprint_asSshKeygen_data()
{
    QTest::addColumn<QString>("name");
    for (const char *name : {"server", "rsa", "ecdsa"})
        QTest::newRow(name) << QString::fromLatin1(name);
}

void TstKnownHostsOpenSsh::fingerprint_asSshKeygen()
{
    QFETCH(QString, name);
    const QString text = run(u"ssh-keygen"_s, {u"-lf"_s, path(name + u".pub"_s)}).text;
    const HostKey key = publicKey(name);
    QCOMPARE(text.section(u' ', 1, 1), key.fingerprint());
    QVERIFY(text.trimmed().endsWith(u'(' + key.typeName() + u')'));
}

PILOTHOUSE_TEST_MAIN(TstKnownHostsOpenSsh)
#include "tst_knownhostsopenssh.moc"

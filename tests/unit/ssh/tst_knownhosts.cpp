// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/knownhosts.h"
#include "core/ssh/knownhostsline.h"
#include "tests/support/testmain.h"
#include "tests/unit/ssh/testkeys.h"

#include <QElapsedTimer>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace Qt::StringLiterals;

using Kind = KnownHostsVerdict::Kind;

namespace {

const HostKey edA = ed25519Key('a');
const HostKey edB = ed25519Key('b');
const HostKey rsaA = rsaKey('a');
const HostKey ecA = ecdsaKey('a');

QByteArray line(const QByteArray &names, const HostKey &key)
{
    return names + ' ' + keyText(key) + '\n';
}

KnownHostsFile file(const QByteArray &content, const QString &path = u"/kh"_s)
{
    return {path, content};
}

const KnownHostsName gpu1{u"gpu1"_s, 22, {}};
const KnownHostsName gpu1At2222{u"gpu1"_s, 2222, {}};

} // namespace

class TstKnownHosts final : public QObject
{
    Q_OBJECT
private slots:
    void verdict_ofOneFile_data();
    void verdict_ofOneFile();
    void names_match_data();
    void names_match();
    void hashedName_matches();
    void hashedName_broken_matchesNothing_data();
    void hashedName_broken_matchesNothing();
    void severalFiles_anyMayKnow();
    void severalFiles_revokedInTheLastWins();
    void changed_namesTheLineOfTheSameType();
    void changed_refusalShowsBothFingerprintsAndPlace();
    void otherTypes_refusalShowsAllKnown();
    void revoked_refusalNamesTheLine();
    void known_isNoRefusal();
    void certAuthority_isUnknownWithANote();
    void hostKeyAlias_replacesHostAndPort();
    void unreadableLines_areCountedAndSkipped_data();
    void unreadableLines_areCountedAndSkipped();
    void key_fromBlob_data();
    void key_fromBlob();
    void key_fingerprintAsSshKeygen();
    void key_names();
    void knownTypes_inOrderWithoutRevoked();
    void knownTypes_fallBackToThePlainName();
    void algorithmOrder_data();
    void algorithmOrder();
    void pattern_hostileIsFast();
    void storedLine_isFoundAgain_data();
    void storedLine_isFoundAgain();
};

void TstKnownHosts::verdict_ofOneFile_data()
{
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("port");
    QTest::addColumn<Kind>("kind");
    QTest::addColumn<int>("line");
    const auto row = [](const char *name, const QByteArray &content, Kind kind, int line,
                        int port = 22) { QTest::newRow(name) << content << port << kind << line; };
    row("empty", {}, Kind::Unknown, 0);
    row("plain", line("gpu1", edA), Kind::Known, 1);
    row("no final line feed", "gpu1 " + keyText(edA), Kind::Known, 1);
    row("DOS line ends", "gpu1 " + keyText(edA) + "\r\n", Kind::Known, 1);
    row("comment at the end", "gpu1 " + keyText(edA) + " root@gpu1 built 2024\n", Kind::Known, 1);
    row("tabs and blanks", "  gpu1\t \t" + keyText(edA) + "\n", Kind::Known, 1);
    row("comments and empty lines before", "# gpu1\n\n \t\n" + line("gpu1", edA), Kind::Known, 4);
    row("another host", line("gpu2", edA), Kind::Unknown, 0);
    row("list", line("gpu2,gpu1,10.0.0.1", edA), Kind::Known, 1);
    row("changed", line("gpu1", edB), Kind::Changed, 1);
    row("old and new key", line("gpu1", edB) + line("gpu1", edA), Kind::Known, 2);
    row("other type only", line("gpu1", rsaA), Kind::OtherTypes, 1);
    row("other type and changed", line("gpu1", rsaA) + line("gpu1", edB), Kind::Changed, 2);
    row("other type and known", line("gpu1", rsaA) + line("gpu1", edA), Kind::Known, 2);
    row("revoked after known", line("gpu1", edA) + line("@revoked gpu1", edA), Kind::Revoked, 2);
    row("revoked before known", line("@revoked *", edA) + line("gpu1", edA), Kind::Revoked, 1);
    row("another key revoked", line("@revoked gpu1", edB) + line("gpu1", edA), Kind::Known, 2);
    row("only another key revoked", line("@revoked gpu1", edB), Kind::Unknown, 0);
    row("revoked for another host", line("@revoked gpu2", edA) + line("gpu1", edA), Kind::Known, 2);
    row("revoked beats changed", line("gpu1", edB) + line("@revoked gpu1", edA), Kind::Revoked, 2);
    row("authority is no key", line("@cert-authority gpu1", edA), Kind::Unknown, 0);
    row("port", line("[gpu1]:2222", edA), Kind::Known, 1, 2222);
    row("port, changed", line("[gpu1]:2222", edB), Kind::Changed, 1, 2222);
    row("port of another", line("[gpu1]:2200", edA), Kind::Unknown, 0, 2222);
    row("port and pattern", line("[gpu*]:2222", edA), Kind::Known, 1, 2222);
    row("line with port, asked without", line("[gpu1]:2222", edA), Kind::Unknown, 0);
    row("port 22 written out is no match", line("[gpu1]:22", edA), Kind::Unknown, 0);
    row("port, plain line with the key", line("gpu1", edA), Kind::Known, 1, 2222);
    row("port, plain line with another key", line("gpu1", edB), Kind::Unknown, 0, 2222);
    row("port changed, plain line with the key", line("[gpu1]:2222", edB) + line("gpu1", edA),
        Kind::Changed, 1, 2222);
    row("port, plain line revoked", line("gpu1", edA) + line("@revoked gpu1", edA), Kind::Revoked,
        2, 2222);
    row("port known, plain line revoked", line("[gpu1]:2222", edA) + line("@revoked gpu1", edA),
        Kind::Revoked, 2, 2222);
}

void TstKnownHosts::verdict_ofOneFile()
{
    QFETCH(QByteArray, content);
    QFETCH(int, port);
    QFETCH(Kind, kind);
    QFETCH(int, line);
    const KnownHostsVerdict verdict =
        checkHostKey({file(content)}, {u"gpu1"_s, quint16(port), {}}, edA);
    QCOMPARE(verdict.kind, kind);
    QCOMPARE(verdict.line, line);
    QCOMPARE(verdict.file, line ? u"/kh"_s : QString());
    QCOMPARE(verdict.unreadableLines, 0);
    QCOMPARE(verdict.matchedWithoutPort,
             kind == Kind::Known && port != 22 && !content.startsWith('['));
}

void TstKnownHosts::names_match_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QByteArray>("patterns");
    QTest::addColumn<bool>("matches");
    const auto row = [](const char *label, const QString &name, const QByteArray &patterns,
                        bool matches) { QTest::newRow(label) << name << patterns << matches; };
    row("exact", u"gpu1"_s, "gpu1", true);
    row("prefix only", u"gpu10"_s, "gpu1", false);
    row("suffix only", u"xgpu1"_s, "gpu1", false);
    row("pattern in capitals", u"gpu1"_s, "GPU1", true);
    row("star", u"a.rack.example"_s, "*.example", true);
    row("star takes nothing", u"gpu"_s, "gpu*", true);
    row("star does not take the dot before", u"example"_s, "*.example", false);
    row("star in the middle", u"gpu-07-a"_s, "gpu-*-a", true);
    row("two stars", u"a.b.c"_s, "*b*", true);
    row("stars that must go back", u"aab"_s, "*ab", true);
    row("question mark", u"gpu1"_s, "gpu?", true);
    row("question mark takes one", u"gpu"_s, "gpu?", false);
    row("star and question mark", u"gpu"_s, "*?", true);
    row("negated after", u"bad.example"_s, "*.example,!bad.example", false);
    row("negated before", u"bad.example"_s, "!bad.example,*.example", false);
    row("negated leaves others", u"ok.example"_s, "*.example,!bad.example", true);
    row("negated alone is no match", u"ok"_s, "!bad", false);
    row("negated pattern", u"gpu9"_s, "gpu*,!gpu?", false);
    row("empty members", u"b"_s, "a,,b,", true);
    row("comma first", u"comma"_s, ",comma", true);
    row("brackets are no set", u"gpu1"_s, "gpu[12]", false);
    row("everything", u"[gpu1]:2222"_s, "*", true);
    row("empty", u"gpu1"_s, "", false);
    row("member too long gives up", u"gpu1"_s, QByteArray(1023, 'x') + ",gpu1", false);
    row("longest member allowed", u"gpu1"_s, QByteArray(1022, 'x') + ",gpu1", true);
    row("beyond ascii", u"büro"_s, "b*", true);
}

void TstKnownHosts::names_match()
{
    QFETCH(QString, name);
    QFETCH(QByteArray, patterns);
    QFETCH(bool, matches);
    QCOMPARE(matchesPatternList(name.toUtf8(), patterns), matches);
}

void TstKnownHosts::hashedName_matches()
{
    // Composed with another implementation of HMAC-SHA1: name "gpu1", salt of twenty zero bytes.
    const QByteArray names = "|1|AAAAAAAAAAAAAAAAAAAAAAAAAAA=|rsHy9FU5YFxMlfZ/c6RjzPM62qY=";
    QCOMPARE(hashedName("gpu1", QByteArray(20, '\0')), names);
    QCOMPARE(checkHostKey({file(line(names, edA))}, gpu1, edA).kind, Kind::Known);
    QCOMPARE(checkHostKey({file(line(names, edA))}, {u"GPU1"_s, 22, {}}, edA).kind, Kind::Known);
    QCOMPARE(checkHostKey({file(line(names, edA))}, {u"gpu2"_s, 22, {}}, edA).kind, Kind::Unknown);
    QCOMPARE(checkHostKey({file(line("@revoked " + names, edA))}, gpu1, edA).kind, Kind::Revoked);
}

void TstKnownHosts::hashedName_broken_matchesNothing_data()
{
    QTest::addColumn<QByteArray>("names");
    const QByteArray good = hashedName("gpu1", QByteArray(20, 's'));
    QTest::newRow("another magic") << "|2|" + good.mid(3);
    QTest::newRow("no hash") << good.left(good.lastIndexOf('|'));
    QTest::newRow("short salt") << hashedName("gpu1", QByteArray(19, 's'));
    QTest::newRow("no salt") << "||" + good.mid(good.lastIndexOf('|'));
    QTest::newRow("empty salt") << "|1|" + good.mid(good.lastIndexOf('|'));
    QTest::newRow("salt is no base64")
        << QByteArray("|1|!!!!|") + good.mid(good.lastIndexOf('|') + 1);
    QTest::newRow("in a list") << good + ",gpu1";
    QTest::newRow("long salt") << "|1|" + QByteArray(4096, 'A') + good.mid(good.lastIndexOf('|'));
    QTest::newRow("bar alone") << QByteArray("|");
    QTest::newRow("negated") << "!" + good;
}

void TstKnownHosts::hashedName_broken_matchesNothing()
{
    QFETCH(QByteArray, names);
    QCOMPARE(checkHostKey({file(line(names, edA))}, gpu1, edA).kind, Kind::Unknown);
}

void TstKnownHosts::severalFiles_anyMayKnow()
{
    const QList<KnownHostsFile> files{file({}, u"/missing"_s), file(line("gpu2", edA), u"/user"_s),
                                      file(line("gpu*", edA), u"/etc"_s)};
    const KnownHostsVerdict verdict = checkHostKey(files, gpu1, edA);
    QCOMPARE(verdict.kind, Kind::Known);
    QCOMPARE(verdict.file, u"/etc"_s);
    QCOMPARE(verdict.line, 1);
}

void TstKnownHosts::severalFiles_revokedInTheLastWins()
{
    const QList<KnownHostsFile> files{file(line("gpu1", edA), u"/user"_s),
                                      file("#\n" + line("@revoked *", edA), u"/etc"_s)};
    const KnownHostsVerdict verdict = checkHostKey(files, gpu1, edA);
    QCOMPARE(verdict.kind, Kind::Revoked);
    QCOMPARE(verdict.file, u"/etc"_s);
    QCOMPARE(verdict.line, 2);
}

void TstKnownHosts::changed_namesTheLineOfTheSameType()
{
    const KnownHostsVerdict verdict =
        checkHostKey({file(line("gpu1", rsaA) + line("gpu1", edB) + line("gpu1", ecA))}, gpu1, edA);
    QCOMPARE(verdict.kind, Kind::Changed);
    QCOMPARE(verdict.line, 2);
    QCOMPARE(verdict.known.size(), 3);
    QCOMPARE(verdict.known[1].key, edB);
    QCOMPARE(verdict.known[2].line, 3);
}

void TstKnownHosts::changed_refusalShowsBothFingerprintsAndPlace()
{
    const KnownHostsVerdict verdict =
        checkHostKey({file("\n" + line("gpu1", edB), u"/home/%1 op/kh"_s)}, gpu1, edA);
    const std::optional<Error> refusal = hostKeyRefusal(verdict, edA, u"root@gpu1"_s);
    QVERIFY(refusal);
    QCOMPARE(refusal->code, ErrorCode::HostKeyChanged);
    QCOMPARE(refusal->detail,
             u"root@gpu1 offers the key ED25519 %1, but known is ED25519 %2 (%3)."_s.arg(
                 edA.fingerprint(), edB.fingerprint(), u"/home/%1 op/kh, line 2"_s));
}

void TstKnownHosts::otherTypes_refusalShowsAllKnown()
{
    const KnownHostsVerdict verdict =
        checkHostKey({file(line("gpu1", rsaA) + line("gpu1", ecA))}, gpu1, edA);
    const std::optional<Error> refusal = hostKeyRefusal(verdict, edA, u"gpu1"_s);
    QVERIFY(refusal);
    QCOMPARE(refusal->code, ErrorCode::HostKeyChanged);
    QVERIFY(refusal->detail.contains(u"another type"_s));
    QVERIFY(refusal->detail.contains(rsaA.fingerprint()));
    QVERIFY(refusal->detail.contains(ecA.fingerprint()));
    QVERIFY(refusal->detail.contains(u"/kh, line 2"_s));
}

void TstKnownHosts::revoked_refusalNamesTheLine()
{
    const KnownHostsVerdict verdict = checkHostKey({file(line("@revoked *", edA))}, gpu1, edA);
    const std::optional<Error> refusal = hostKeyRefusal(verdict, edA, u"gpu1\x1b[0m"_s);
    QVERIFY(refusal);
    QCOMPARE(refusal->code, ErrorCode::HostKeyRevoked);
    QVERIFY(refusal->detail.contains(edA.fingerprint()));
    QVERIFY(refusal->detail.contains(u"/kh, line 1"_s));
    QVERIFY(!refusal->detail.contains(u'\x1b'));
}

void TstKnownHosts::known_isNoRefusal()
{
    const KnownHostsVerdict known = checkHostKey({file(line("gpu1", edA))}, gpu1, edA);
    QVERIFY(!hostKeyRefusal(known, edA, u"gpu1"_s));
    QVERIFY(hostKeyNote(known).isEmpty());
    const KnownHostsVerdict unknown = checkHostKey({}, gpu1, edA);
    QVERIFY(!hostKeyRefusal(unknown, edA, u"gpu1"_s));
    QVERIFY(hostKeyNote(unknown).isEmpty());
}

void TstKnownHosts::certAuthority_isUnknownWithANote()
{
    const KnownHostsVerdict verdict =
        checkHostKey({file(line("@cert-authority *.example,gpu1", rsaA))}, gpu1, edA);
    QCOMPARE(verdict.kind, Kind::Unknown);
    QVERIFY(verdict.certAuthorityOnly);
    QVERIFY(hostKeyNote(verdict).contains(u"certified keys are not supported"_s));
    QVERIFY(!checkHostKey({file(line("@cert-authority gpu2", rsaA))}, gpu1, edA).certAuthorityOnly);
}

void TstKnownHosts::hostKeyAlias_replacesHostAndPort()
{
    const KnownHostsName name{u"10.0.0.5"_s, 2222, u"GPU.Alias"_s};
    QCOMPARE(name.text(), u"gpu.alias"_s);
    QCOMPARE(checkHostKey({file(line("gpu.alias", edA))}, name, edA).kind, Kind::Known);
    QCOMPARE(checkHostKey({file(line("[gpu.alias]:2222", edA))}, name, edA).kind, Kind::Unknown);
    QCOMPARE(checkHostKey({file(line("10.0.0.5,[10.0.0.5]:2222", edA))}, name, edA).kind,
             Kind::Unknown);
    QCOMPARE(KnownHostsName({u"FE80::1%Eth0"_s, 2222, {}}).text(), u"[fe80::1%eth0]:2222"_s);
}

void TstKnownHosts::unreadableLines_areCountedAndSkipped_data()
{
    QTest::addColumn<QByteArray>("bad");
    QTest::newRow("name alone") << QByteArray("gpu1\n");
    QTest::newRow("no key") << QByteArray("gpu1 ssh-ed25519\n");
    QTest::newRow("no base64") << QByteArray("gpu1 ssh-ed25519 ????\n");
    QTest::newRow("base64 with rubbish behind") << "gpu1 " + keyText(edB) + "!\n";
    QTest::newRow("another type than said") << "gpu1 ssh-rsa " + edB.blob.toBase64() + "\n";
    QTest::newRow("truncated key") << "gpu1 ssh-ed25519 " + edB.blob.chopped(3).toBase64() + "\n";
    QTest::newRow("overlong key") << "gpu1 ssh-ed25519 " + QByteArray(edB.blob + "xyz").toBase64()
                                         + "\n";
    QTest::newRow("length that lies")
        << "gpu1 ssh-ed25519 " + QByteArray("\xff\xff\xff\xffssh-ed25519").toBase64() + "\n";
    QTest::newRow("protocol 1") << QByteArray("gpu1 1024 35 1234567890\n");
    QTest::newRow("unknown marker") << line("@revokd gpu1", edB);
    QTest::newRow("two markers") << line("@revoked @cert-authority gpu1", edB);
    QTest::newRow("marker alone") << QByteArray("@revoked\n");
    QTest::newRow("binary") << QByteArray("gpu1 \0 ssh-ed25519\n", 19);
    QTest::newRow("huge base64") << "gpu1 ssh-ed25519 " + QByteArray(1 << 17, 'A') + "\n";
}

void TstKnownHosts::unreadableLines_areCountedAndSkipped()
{
    QFETCH(QByteArray, bad);
    const KnownHostsVerdict alone = checkHostKey({file(bad)}, gpu1, edA);
    QCOMPARE(alone.kind, Kind::Unknown);
    QCOMPARE(alone.unreadableLines, 1);
    QVERIFY(hostKeyNote(alone).contains(u"cannot be read: 1"_s));
    const KnownHostsVerdict before = checkHostKey({file(bad + line("gpu1", edA))}, gpu1, edA);
    QCOMPARE(before.kind, Kind::Known);
    QCOMPARE(before.line, 2);
}

void TstKnownHosts::key_fromBlob_data()
{
    QTest::addColumn<QByteArray>("blob");
    QTest::addColumn<QString>("type");
    QTest::newRow("ed25519") << edA.blob << u"ssh-ed25519"_s;
    QTest::newRow("rsa") << rsaA.blob << u"ssh-rsa"_s;
    QTest::newRow("ecdsa") << ecA.blob << u"ecdsa-sha2-nistp256"_s;
    QTest::newRow("a type of tomorrow")
        << wireString("ssh-mldsa65") + wireString("key") << u"ssh-mldsa65"_s;
    QTest::newRow("empty") << QByteArray() << QString();
    QTest::newRow("type alone") << wireString("ssh-ed25519") << QString();
    QTest::newRow("empty type") << wireString("") + wireString("x") << QString();
    QTest::newRow("type with a blank") << wireString("ssh rsa") + wireString("x") << QString();
    QTest::newRow("type with a line feed") << wireString("ssh\nrsa") + wireString("x") << QString();
    QTest::newRow("type too long")
        << wireString(QByteArray(65, 'x')) + wireString("x") << QString();
    QTest::newRow("ed25519 too short")
        << wireString("ssh-ed25519") + wireString(QByteArray(31, 'x')) << QString();
    QTest::newRow("rsa with a part missing")
        << wireString("ssh-rsa") + wireString("x") << QString();
    QTest::newRow("rest of three bytes") << edA.blob + "abc" << QString();
    QTest::newRow("many parts") << wireString("t") + wireString("").repeated(20) << QString();
}

void TstKnownHosts::key_fromBlob()
{
    QFETCH(QByteArray, blob);
    QFETCH(QString, type);
    const std::optional<HostKey> key = HostKey::fromBlob(blob);
    QCOMPARE(key.has_value(), !type.isEmpty());
    if (key) {
        QCOMPARE(key->type, type);
        QCOMPARE(key->blob, blob);
    }
}

void TstKnownHosts::key_fingerprintAsSshKeygen()
{
    // From `ssh-keygen -lf` (OpenSSH 9.2p1) of a key made for this test.
    const HostKey key{u"ssh-ed25519"_s,
                      QByteArray::fromBase64(
                          "AAAAC3NzaC1lZDI1NTE5AAAAILH6pHDGREisS8t0TS/+O2SIaG3yh4lL/2AUlR7CF5dn")};
    QCOMPARE(key.fingerprint(), u"SHA256:KDkkXcMQ/qZ5XWQN3JkFoJ86Kox29XA1loMA/9f65CM"_s);
}

void TstKnownHosts::key_names()
{
    QCOMPARE(edA.typeName(), u"ED25519"_s);
    QCOMPARE(rsaA.typeName(), u"RSA"_s);
    QCOMPARE(ecA.typeName(), u"ECDSA"_s);
    QCOMPARE(HostKey({u"ssh-dss"_s, {}}).typeName(), u"DSA"_s);
    QCOMPARE(HostKey({u"sk-ssh-ed25519@openssh.com"_s, {}}).typeName(), u"ED25519-SK"_s);
    QCOMPARE(HostKey({u"sk-ecdsa-sha2-nistp256@openssh.com"_s, {}}).typeName(), u"ECDSA-SK"_s);
    QCOMPARE(HostKey({u"ssh-mldsa65"_s, {}}).typeName(), u"ssh-mldsa65"_s);
}

void TstKnownHosts::knownTypes_inOrderWithoutRevoked()
{
    const QList<KnownHostsFile> files{
        file(line("gpu1", rsaA) + line("gpu1", edB) + line("gpu2", ecA)
             + line("@cert-authority gpu1", ecA)),
        file(line("gpu1", rsaKey('b')) + line("@revoked *", edB), u"/etc"_s)};
    QCOMPARE(knownKeyTypes(files, gpu1), QStringList{u"ssh-rsa"_s});
    QCOMPARE(knownKeyTypes({files[0]}, gpu1), (QStringList{u"ssh-rsa"_s, u"ssh-ed25519"_s}));
    QVERIFY(knownKeyTypes({}, gpu1).isEmpty());
}

void TstKnownHosts::knownTypes_fallBackToThePlainName()
{
    QCOMPARE(knownKeyTypes({file(line("gpu1", edA))}, gpu1At2222), QStringList{u"ssh-ed25519"_s});
    QCOMPARE(knownKeyTypes({file(line("gpu1", edA) + line("[gpu1]:2222", rsaA))}, gpu1At2222),
             QStringList{u"ssh-rsa"_s});
}

void TstKnownHosts::algorithmOrder_data()
{
    QTest::addColumn<QString>("allowed");
    QTest::addColumn<QStringList>("known");
    QTest::addColumn<QString>("order");
    const QString all =
        u"ssh-ed25519-cert-v01@openssh.com,ssh-ed25519,ecdsa-sha2-nistp256,rsa-sha2-512,rsa-sha2-256"_s;
    QTest::newRow("nothing known")
        << all << QStringList() << u"ssh-ed25519,ecdsa-sha2-nistp256,rsa-sha2-512,rsa-sha2-256"_s;
    QTest::newRow("rsa by its SHA-2 signatures")
        << all << QStringList{u"ssh-rsa"_s}
        << u"rsa-sha2-512,rsa-sha2-256,ssh-ed25519,ecdsa-sha2-nistp256"_s;
    QTest::newRow("order of the configuration")
        << all << QStringList{u"ecdsa-sha2-nistp256"_s, u"ssh-ed25519"_s}
        << u"ssh-ed25519,ecdsa-sha2-nistp256,rsa-sha2-512,rsa-sha2-256"_s;
    QTest::newRow("known but not allowed")
        << u"ssh-ed25519"_s << QStringList{u"ssh-rsa"_s} << u"ssh-ed25519"_s;
    QTest::newRow("empty") << QString() << QStringList{u"ssh-rsa"_s} << QString();
}

void TstKnownHosts::algorithmOrder()
{
    QFETCH(QString, allowed);
    QFETCH(QStringList, known);
    QFETCH(QString, order);
    QCOMPARE(hostKeyAlgorithmOrder(allowed, known).join(u','), order);
}

void TstKnownHosts::pattern_hostileIsFast()
{
    const QByteArray patterns = QByteArray("*a").repeated(500) + "b";
    QElapsedTimer timer;
    timer.start();
    QVERIFY(!matchesPatternList(QByteArray(255, 'a'), patterns));
    QVERIFY(timer.elapsed() < 1'000);
}

void TstKnownHosts::storedLine_isFoundAgain_data()
{
    QTest::addColumn<KnownHostsName>("name");
    QTest::newRow("plain") << gpu1;
    QTest::newRow("port") << gpu1At2222;
    QTest::newRow("ipv6") << KnownHostsName{u"fd00::5"_s, 22, {}};
    QTest::newRow("ipv6 with port") << KnownHostsName{u"fd00::5"_s, 2222, {}};
    QTest::newRow("capitals") << KnownHostsName{u"GPU1.Example"_s, 22, {}};
    QTest::newRow("alias") << KnownHostsName{u"10.0.0.1"_s, 2222, u"Rack 3"_s.remove(u' ')};
}

void TstKnownHosts::storedLine_isFoundAgain()
{
    QFETCH(KnownHostsName, name);
    for (const bool hashed : {false, true}) {
        const QByteArray stored = knownHostsLine(name, edA, hashed);
        QCOMPARE(stored.startsWith("|1|"), hashed);
        QCOMPARE(checkHostKey({file(stored)}, name, edA).kind, Kind::Known);
        QCOMPARE(checkHostKey({file(stored)}, {u"elsewhere"_s, 22, {}}, edA).kind, Kind::Unknown);
    }
    QVERIFY(knownHostsLine(name, edA, true)
            != knownHostsLine(name, edA, true)); // a fresh salt each time
}

PILOTHOUSE_TEST_MAIN(TstKnownHosts)
#include "tst_knownhosts.moc"

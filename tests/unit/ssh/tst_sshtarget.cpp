// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/sshtarget.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstSshTarget final : public QObject
{
    Q_OBJECT
private slots:
    void parse_understood_data();
    void parse_understood();
    void parse_refused_data();
    void parse_refused();
    void parse_overlongIsRefused();
    void parse_hostileTextIsCleanedInTheError();
    void inWords_aliasAndWhatIsConnectedTo_data();
    void inWords_aliasAndWhatIsConnectedTo();
};

void TstSshTarget::parse_understood_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("user");
    QTest::addColumn<QString>("host");
    QTest::addColumn<int>("port");
    QTest::addColumn<QString>("shown");
    const auto row = [](const char *name, const QString &text, const QString &user,
                        const QString &host, int port, const QString &shown) {
        QTest::newRow(name) << text << user << host << port << shown;
    };
    row("alias", u"gpu1"_s, {}, u"gpu1"_s, 0, u"gpu1"_s);
    row("underscore", u"gpu_01"_s, {}, u"gpu_01"_s, 0, u"gpu_01"_s);
    row("upper case kept", u"GPU1"_s, {}, u"GPU1"_s, 0, u"GPU1"_s);
    row("user", u"root@gpu1"_s, u"root"_s, u"gpu1"_s, 0, u"root@gpu1"_s);
    row("port", u"gpu1:2222"_s, {}, u"gpu1"_s, 2222, u"gpu1:2222"_s);
    row("port 22 stays said", u"gpu1:22"_s, {}, u"gpu1"_s, 22, u"gpu1:22"_s);
    row("all three", u"root@gpu1.example:65535"_s, u"root"_s, u"gpu1.example"_s, 65535,
        u"root@gpu1.example:65535"_s);
    row("user with at sign", u"a@corp@gpu1"_s, u"a@corp"_s, u"gpu1"_s, 0, u"a@corp@gpu1"_s);
    row("user with backslash", u"DOM\\u@gpu1"_s, u"DOM\\u"_s, u"gpu1"_s, 0, u"DOM\\u@gpu1"_s);
    row("user with colon", u"a:b@gpu1"_s, u"a:b"_s, u"gpu1"_s, 0, u"a:b@gpu1"_s);
    row("ipv4", u"10.0.0.5:22"_s, {}, u"10.0.0.5"_s, 22, u"10.0.0.5:22"_s);
    row("ipv6 bracketed", u"[fd00::5]"_s, {}, u"fd00::5"_s, 0, u"[fd00::5]"_s);
    row("ipv6 with port", u"root@[fd00::5]:2222"_s, u"root"_s, u"fd00::5"_s, 2222,
        u"root@[fd00::5]:2222"_s);
    row("ipv6 bare", u"fd00::5"_s, {}, u"fd00::5"_s, 0, u"[fd00::5]"_s);
    row("ipv6 with zone", u"[fe80::1%eth0]:22"_s, {}, u"fe80::1%eth0"_s, 22,
        u"[fe80::1%eth0]:22"_s);
    row("ipv6 mapped", u"::ffff:10.0.0.5"_s, {}, u"::ffff:10.0.0.5"_s, 0, u"[::ffff:10.0.0.5]"_s);
    row("name in brackets", u"[gpu1]:2222"_s, {}, u"gpu1"_s, 2222, u"gpu1:2222"_s);
    row("not only ascii", u"büro-1"_s, {}, u"büro-1"_s, 0, u"büro-1"_s);
}

void TstSshTarget::parse_understood()
{
    QFETCH(QString, text);
    QFETCH(QString, user);
    QFETCH(QString, host);
    QFETCH(int, port);
    QFETCH(QString, shown);
    const Result<SshTarget> target = parseTarget(text);
    QVERIFY2(target, target ? "" : qPrintable(target.error().detail));
    QCOMPARE(target->user, user);
    QCOMPARE(target->host, host);
    QCOMPARE(target->port.has_value(), port != 0);
    QCOMPARE(int(target->port.value_or(0)), port);
    QCOMPARE(target->display(), shown);
    QCOMPARE(parseTarget(target->display()), target);
}

void TstSshTarget::parse_refused_data()
{
    QTest::addColumn<QString>("text");
    QTest::newRow("empty") << QString();
    QTest::newRow("leading dash is an option") << u"-oProxyCommand=x"_s;
    QTest::newRow("dash after the user") << u"root@-oProxyCommand=x"_s;
    QTest::newRow("user that is an option") << u"-lroot@gpu1"_s;
    QTest::newRow("blank") << u"gpu1 gpu2"_s;
    QTest::newRow("tab") << u"gpu\t1"_s;
    QTest::newRow("line feed would forge ssh -G output") << u"gpu1\nproxyjump none"_s;
    QTest::newRow("nul") << u"gpu1"_s + QChar(0);
    QTest::newRow("right to left override") << u"gpu\u202e1"_s;
    QTest::newRow("zero width") << u"gpu\u200b1"_s;
    QTest::newRow("no-break space") << u"gpu\u00a01"_s;
    QTest::newRow("empty user") << u"@gpu1"_s;
    QTest::newRow("empty host") << u"root@"_s;
    QTest::newRow("empty host with port") << u"root@:22"_s;
    QTest::newRow("empty brackets") << u"[]:22"_s;
    QTest::newRow("empty port") << u"gpu1:"_s;
    QTest::newRow("port zero") << u"gpu1:0"_s;
    QTest::newRow("port too large") << u"gpu1:65536"_s;
    QTest::newRow("port far too large") << u"gpu1:4294967318"_s;
    QTest::newRow("port with sign") << u"gpu1:+22"_s;
    QTest::newRow("port in other digits") << u"gpu1:٢٢"_s;
    QTest::newRow("port no number") << u"gpu1:ssh"_s;
    QTest::newRow("unclosed bracket") << u"[fd00::5"_s;
    QTest::newRow("closing bracket alone") << u"fd00::5]"_s;
    QTest::newRow("text after bracket") << u"[fd00::5]22"_s;
    QTest::newRow("two ports") << u"gpu1:22:22"_s;
    QTest::newRow("colons in brackets, no address") << u"[gpu1:x]:22"_s;
    QTest::newRow("ipv6 with port without brackets") << u"fd00::5:ssh"_s;
    QTest::newRow("a path") << u"gpu1/vllm"_s;
    QTest::newRow("an address of the web") << u"ssh://gpu1"_s;
    QTest::newRow("command substitution") << u"$(id)"_s;
    QTest::newRow("backquote") << u"`id`"_s;
    QTest::newRow("quote") << u"gpu'1"_s;
    QTest::newRow("two hosts") << u"gpu1,gpu2"_s;
}

void TstSshTarget::parse_refused()
{
    QFETCH(QString, text);
    const Result<SshTarget> target = parseTarget(text);
    QVERIFY(!target);
    QCOMPARE(target.error().code, ErrorCode::Usage);
    QVERIFY(target.error().detail.endsWith(u'.'));
}

void TstSshTarget::parse_overlongIsRefused()
{
    QVERIFY(parseTarget(QString(500, u'a')));
    QVERIFY(!parseTarget(QString(513, u'a')));
}

void TstSshTarget::parse_hostileTextIsCleanedInTheError()
{
    const Result<SshTarget> target = parseTarget(u"gpu\x1b[31m1"_s);
    QVERIFY(!target);
    QVERIFY(!target.error().detail.contains(u'\x1b'));
}

void TstSshTarget::inWords_aliasAndWhatIsConnectedTo_data()
{
    QTest::addColumn<QString>("user");
    QTest::addColumn<QString>("alias");
    QTest::addColumn<QString>("address");
    QTest::addColumn<quint16>("port");
    QTest::addColumn<QString>("words");
    const auto row = [](const char *name, const QString &user, const QString &alias, const QString &address,
                        quint16 port, const QString &words) {
        QTest::newRow(name) << user << alias << address << port << words;
    };
    row("alias", u"root"_s, u"gpu1"_s, u"10.0.0.5"_s, 22, u"root@gpu1 (10.0.0.5)"_s);
    row("another port", u"root"_s, u"gpu1"_s, u"10.0.0.5"_s, 2222, u"root@gpu1 ([10.0.0.5]:2222)"_s);
    row("no user", {}, u"gpu1"_s, u"10.0.0.5"_s, 2222, u"gpu1 ([10.0.0.5]:2222)"_s);
    row("IPv6", {}, u"gpu1"_s, u"fd00::5"_s, 2222, u"gpu1 ([fd00::5]:2222)"_s);
    row("an address was typed", u"root"_s, u"10.0.0.5"_s, u"10.0.0.5"_s, 22, u"root@10.0.0.5"_s);
    row("address and port were typed", u"root"_s, u"10.0.0.5"_s, u"10.0.0.5"_s, 2222, u"root@[10.0.0.5]:2222"_s);
}

void TstSshTarget::inWords_aliasAndWhatIsConnectedTo()
{
    QFETCH(const QString, user);
    QFETCH(const QString, alias);
    QFETCH(const QString, address);
    QFETCH(const quint16, port);
    QFETCH(const QString, words);
    QCOMPARE(hostInWords(user, alias, address, port), words);
}

PILOTHOUSE_TEST_MAIN(TstSshTarget)
#include "tst_sshtarget.moc"

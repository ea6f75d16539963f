// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ssh/jump/jumpspec.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

/// The proxyjump line of ssh -G, as the jump host that comes last and those before it.
class TstJumpSpec final : public QObject
{
    Q_OBJECT
private slots:
    void line_isTheLastHopAndThoseBefore_data();
    void line_isTheLastHopAndThoseBefore();
    void line_thatCannotBeIsNamed_data();
    void line_thatCannotBeIsNamed();
    void tokens_areTheHostsOwn();
    void error_namesTheJumpHost();
};

namespace {

ResolvedHost hostWith(const QString &jump)
{
    ResolvedHost host;
    host.alias = u"gpu1"_s;
    host.hostName = u"10.0.0.5"_s;
    host.user = u"ops"_s;
    host.port = 2201;
    host.proxyJump = jump;
    return host;
}

} // namespace

void TstJumpSpec::line_isTheLastHopAndThoseBefore_data()
{
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("hop");
    QTest::addColumn<QString>("before");
    QTest::newRow("alias") << u"bastion"_s << u"bastion"_s << QString();
    QTest::newRow("all parts") << u"bob@bastion:2222"_s << u"bob@bastion:2222"_s << QString();
    QTest::newRow("two") << u"first,second:22"_s << u"second:22"_s << u"first"_s;
    QTest::newRow("three, with a URI") << u"ssh://al@a:1,b@[fe80::1]:2,c"_s << u"c"_s
                                       << u"ssh://al@a:1,b@[fe80::1]:2"_s;
    QTest::newRow("address") << u"[10.0.0.1]"_s << u"10.0.0.1"_s << QString();
    QTest::newRow("address 6") << u"bob@[fe80::1]:22"_s << u"bob@[fe80::1]:22"_s << QString();
    QTest::newRow("host token") << u"jump-%h"_s << u"jump-10.0.0.5"_s << QString();
    QTest::newRow("all tokens") << u"%n,%r@%h:%p"_s << u"ops@10.0.0.5:2201"_s << u"gpu1"_s;
}

void TstJumpSpec::line_isTheLastHopAndThoseBefore()
{
    QFETCH(QString, line);
    QFETCH(QString, hop);
    QFETCH(QString, before);
    const Result<JumpSpec> spec = jumpSpecOf(hostWith(line));
    QVERIFY2(spec, spec ? "" : qPrintable(spec.error().detail));
    QCOMPARE(spec->hop.display(), hop);
    QCOMPARE(spec->before, before);
}

void TstJumpSpec::line_thatCannotBeIsNamed_data()
{
    QTest::addColumn<QString>("line");
    QTest::newRow("an option") << u"-oProxyCommand=x"_s;
    QTest::newRow("an option after a comma") << u"a,-oProxyCommand=x"_s;
    QTest::newRow("shell") << u"$(id)"_s;
    QTest::newRow("nothing after the comma") << u"a,"_s;
    QTest::newRow("unknown token") << u"jump-%d"_s;
    QTest::newRow("unknown token before") << u"%d,b"_s;
    QTest::newRow("half a token") << u"jump%"_s;
    QTest::newRow("escape") << u"a\x1b[1m"_s;
}

void TstJumpSpec::line_thatCannotBeIsNamed()
{
    QFETCH(QString, line);
    const Result<JumpSpec> spec = jumpSpecOf(hostWith(line));
    QVERIFY(!spec);
    QCOMPARE(spec.error().code, ErrorCode::SshConfigInvalid);
    QVERIFY2(spec.error().detail.startsWith(u"The ProxyJump “"_s), qPrintable(spec.error().detail));
    QVERIFY2(spec.error().detail.contains(u"gpu1"_s), qPrintable(spec.error().detail));
    QVERIFY(!spec.error().detail.contains(u'\x1b'));
}

void TstJumpSpec::tokens_areTheHostsOwn()
{
    // What a token stands for is no list, and its percent signs are none.
    ResolvedHost host = hostWith(u"j-%h"_s);
    host.hostName = u"a%n"_s;
    const Result<QString> text = withProxyTokens(u"%%%h%r"_s, host);
    QVERIFY(text);
    QCOMPARE(*text, u"%a%nops"_s);
    QVERIFY(!withProxyTokens(u"%C"_s, host));
}

void TstJumpSpec::error_namesTheJumpHost()
{
    const Error error = atJumpHost(u"bastion"_s, {ErrorCode::ConnectRefused, u"Port 22."_s, u"Look."_s});
    QCOMPARE(error, (Error{ErrorCode::ConnectRefused, u"at the jump host bastion: Port 22."_s, u"Look."_s}));
    QCOMPARE(atJumpHost(u"b"_s, {ErrorCode::Cancelled, {}, {}}).detail, u"at the jump host b."_s);
    // And the name back from it; of several in a row the outermost alone.
    QCOMPARE(jumpHostOf(error), u"bastion"_s);
    QCOMPARE(jumpHostOf(atJumpHost(u"b"_s, {ErrorCode::Cancelled, {}, {}})), u"b"_s);
    QCOMPARE(jumpHostOf(Error{ErrorCode::Cancelled, u"Not at the jump host b: no."_s, {}}), QString());
    const QString words = wordsOfJumpHost(u"ops@bastion:22"_s, u"signing in"_s);
    QCOMPARE(words, u"jump host ops@bastion:22: signing in"_s);
    QCOMPARE(jumpHostOf(words), u"ops@bastion:22"_s);
    // What it says of the host behind it is no error of its own.
    const Error beyond = beyondJumpHost(u"b"_s, {ErrorCode::ConnectRefused, u"answered."_s, u"Look."_s});
    QCOMPARE(beyond, (Error{ErrorCode::ConnectRefused, u"the jump host b answered."_s, u"Look."_s}));
    QCOMPARE(jumpHostOf(beyond), QString());
    QVERIFY(isBeyondJumpHost(ErrorCode::NameNotResolved) && !isBeyondJumpHost(ErrorCode::NoRights));
    QCOMPARE(wordsOfJumpHost(u"second"_s, words), words);
    QCOMPARE(jumpHostOf(u"signing in"_s), QString());
}

PILOTHOUSE_TEST_MAIN(TstJumpSpec)
#include "tst_jumpspec.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/proberequest.h"

#include "tests/support/skip.h"
#include "tests/support/testmain.h"

#include <QProcess>
#include <QSet>

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstProbeRequest : public QObject
{
    Q_OBJECT

private slots:
    void unitName_data();
    void unitName();
    void nonce_isRandomHex();
    void marker_tellsConsolesAndHostsApart();
    void line_holdsEverything();
    void line_nothingBreaksOut();
    void line_bad();
    void stage_announcesItself();
    void stage_sudoOnlyWhereNotRoot();
    void script_hasNoCommentsAndParses_data();
    void script_hasNoCommentsAndParses();
};

void TstProbeRequest::unitName_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("good");
    QTest::newRow("service") << u"vllm.service"_s << true;
    QTest::newRow("instance") << u"vllm@a100.service"_s << true;
    QTest::newRow("escaped") << u"a\\x2db.service"_s << true;
    QTest::newRow("colon and underscore") << u"a:b_c.d.service"_s << true;
    QTest::newRow("scope") << u"session-3.scope"_s << true;
    QTest::newRow("template") << u"vllm@.service"_s << false;
    QTest::newRow("empty") << QString() << false;
    QTest::newRow("suffix alone") << u".service"_s << false;
    QTest::newRow("no suffix") << u"vllm"_s << false;
    QTest::newRow("unknown suffix") << u"vllm.exe"_s << false;
    QTest::newRow("job number") << u"324"_s << false;
    QTest::newRow("blank") << u"bad name.service"_s << false;
    QTest::newRow("slash") << u"foo/bar.service"_s << false;
    QTest::newRow("line feed") << u"a\nquit.service"_s << false;
    QTest::newRow("option") << u"--host=x.service"_s << false;
    QTest::newRow("glob") << u"*.service"_s << false;
    QTest::newRow("quote") << u"a'b.service"_s << false;
    QTest::newRow("command") << u"$(id).service"_s << false;
    QTest::newRow("not ASCII") << u"ä.service"_s << false;
    QTest::newRow("too long") << QString(QString(250, u'a') + u".service"_s) << false;
}

void TstProbeRequest::unitName()
{
    QFETCH(QString, name);
    QFETCH(bool, good);
    QCOMPARE(isUnitName(name), good);
}

void TstProbeRequest::nonce_isRandomHex()
{
    QSet<QByteArray> seen;
    for (int i = 0; i < 100; ++i) {
        const QByteArray nonce = makeNonce();
        QCOMPARE(nonce.size(), 32);
        QVERIFY(std::ranges::all_of(
            nonce, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }));
        seen.insert(nonce);
    }
    QCOMPARE(seen.size(), 100);
}

void TstProbeRequest::marker_tellsConsolesAndHostsApart()
{
    const ProbeMarker one = makeMarker(u"c"_s, u"h"_s, u"t"_s);
    const ProbeMarker again = makeMarker(u"c"_s, u"h"_s, u"t"_s);
    QCOMPARE(one.id, again.id);
    QVERIFY(one.run != again.run);
    QVERIFY(one.id != makeMarker(u"d"_s, u"h"_s, u"t"_s).id);
    QVERIFY(one.id != makeMarker(u"c"_s, u"i"_s, u"t"_s).id);
    QVERIFY(one.id != makeMarker(u"c"_s, u"h"_s, u"u"_s).id);
}

void TstProbeRequest::line_holdsEverything()
{
    ProbeRequest request;
    request.nonce = "00ff";
    request.tick = 12;
    request.depth = Depth::Deep;
    request.units = {u"a.service"_s, u"b\\x2dc.service"_s};
    request.userUnits = {u"u.service"_s};
    request.gpuFields = {u"index"_s, u"memory.used"_s};
    request.appFields = {u"pid"_s};
    request.described = {1, 22};
    request.watched = {7, 8};
    auto line = requestLine(request);
    QVERIFY(line);
    QCOMPARE(*line, QByteArray("ask n=00ff t=12 d=deep s=kernel,driver l=5 m=512 u=a.service "
                               "u=b\\x2dc.service v=u.service f=index "
                               "f=memory.used a=pid k=1,22 x=7 x=8\n"));
    request.driver = false;
    request.depth = Depth::Light;
    line = requestLine(request);
    QCOMPARE(*line, QByteArray("ask n=00ff t=12 d=light s=kernel l=5 m=512 u=a.service "
                               "u=b\\x2dc.service v=u.service\n")); // what only the driver's part reads costs both ends
    request.driver = true;
    request.kernel = false;
    line = requestLine(request);
    QCOMPARE(*line, QByteArray("ask n=00ff t=12 d=light s=driver l=5 m=512 f=index f=memory.used a=pid k=1,22 x=7 "
                               "x=8\n"));
}

void TstProbeRequest::line_nothingBreaksOut()
{
    ProbeRequest request;
    request.nonce = "00ff";
    request.units = {u"a.service\nquit"_s, u"x y.service"_s, u"good.service"_s,
                     u"u=$(id).service"_s};
    request.userUnits = {u"a.service t=9"_s};
    request.described = {-1, 0, 5};
    const auto line = requestLine(request);
    QVERIFY(line);
    QCOMPARE(line->count('\n'), 1);
    QVERIFY(line->contains(" u=good.service"));
    QCOMPARE(line->count(" u="), 1);
    QVERIFY(!line->contains(" v="));
    QVERIFY(line->contains(" k=5"));
}

void TstProbeRequest::line_bad()
{
    ProbeRequest request;
    QVERIFY(!requestLine(request)); // no nonce
    request.nonce = "00FF";
    QVERIFY(!requestLine(request));
    request.nonce = "00ff";
    QVERIFY(requestLine(request));
    request.gpuFields = {u"name; id"_s};
    QCOMPARE(requestLine(request).error().code, ErrorCode::Internal);
    request.gpuFields.clear();
    for (int i = 0; i < 5000; ++i)
        request.units.append(u"a-unit-%1.service"_s.arg(i));
    QCOMPARE(requestLine(request).error().code, ErrorCode::Usage);
}

void TstProbeRequest::stage_announcesItself()
{
    const ProbeMarker marker{"0123456789abcdef", "01234567"};
    const QByteArray text = stageText("00ff", marker, ProbeRole::Driver, RootWay::None);
    QVERIFY(text.startsWith("\n\n\n"));
    QCOMPARE(text.count('\n'), 4);
    QVERIFY(!text.contains("@PH STAGE")); // an echo of it is no announcement
    QVERIFY(text.endsWith("exec /bin/sh -s pilothouse-probe 0123456789abcdef 01234567 driver\n"));
    // The nonce goes to a builtin and never into an argument list.
    QVERIFY(text.indexOf("00ff") < text.indexOf("exec"));
}

void TstProbeRequest::stage_sudoOnlyWhereNotRoot()
{
    const QByteArray text =
        stageText("00ff", {"0123456789abcdef", "01234567"}, ProbeRole::Kernel, RootWay::SudoUnasked);
    QVERIFY(text.contains("exec sudo -n /bin/sh -s pilothouse-probe"));
    QVERIFY(text.contains("\"$(id -u)\" = 0"));
    QVERIFY(text.contains("LC_ALL=C"));
}

void TstProbeRequest::script_hasNoCommentsAndParses_data()
{
    QTest::addColumn<QStringList>("shell");
    for (const char *shell : {"dash", "bash --posix", "busybox sh", "ksh", "sh"})
        QTest::newRow(shell) << QString::fromLatin1(shell).split(u' ');
}

void TstProbeRequest::script_hasNoCommentsAndParses()
{
    QFETCH(QStringList, shell);
    const QByteArray text = scriptText("00ff");
    QVERIFY(text.startsWith("N=00ff\nPATS='"));
    QVERIFY(text.endsWith("\nserve\nexit\n"));
    for (const QByteArray &line : text.split('\n'))
        QVERIFY2(!line.trimmed().startsWith('#'), line.constData());
    for (const char *forbidden :
         {"<<", "eval ", "mktemp", "/tmp/", "pkill", "killall", "pgrep", "`"})
        QVERIFY2(!text.contains(forbidden), forbidden);
    QProcess process;
    process.start(shell.first(), shell.sliced(1) + QStringList{u"-n"_s});
    if (!process.waitForStarted(5000))
        PILOTHOUSE_SKIP("this shell is not installed");
    process.write(text);
    process.closeWriteChannel();
    QVERIFY(process.waitForFinished(10'000));
    QCOMPARE(process.exitCode(), 0);
}

PILOTHOUSE_TEST_MAIN(TstProbeRequest)
#include "tst_proberequest.moc"

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Hints that the unit check takes from a shell's text.
#include "core/host/timespan.h"
#include "core/units/shelltext.h"
#include "tests/support/testmain.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstShellText final : public QObject
{
    Q_OBJECT
private slots:
    void programs_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("programs");
        QTest::newRow("separators") << u"a 1; b | c && d || e & f\ng"_s
                                    << QStringList{u"a"_s, u"b"_s, u"c"_s, u"d"_s, u"e"_s, u"f"_s, u"g"_s};
        QTest::newRow("redirections") << u"a >x 2>&1; b &>y"_s << QStringList{u"a"_s, u"b"_s};
        QTest::newRow("quotes") << u"a 'b; c' \"d | e\" f\\;g"_s << QStringList{u"a"_s};
        QTest::newRow("substitution") << u"a \"$(b | /usr/bin/c)\" `d`; e"_s
                                      << QStringList{u"b"_s, u"c"_s, u"d"_s, u"a"_s, u"e"_s};
        QTest::newRow("keywords") << u"if ! a; then exec b; fi; while X=1 sudo c; do timeout -k 5 60 d; done"_s
                                  << QStringList{u"a"_s, u"b"_s, u"fi"_s, u"c"_s, u"d"_s, u"done"_s};
        QTest::newRow("comment") << u"a # b; c\nd"_s << QStringList{u"a"_s, u"d"_s};
        QTest::newRow("doubled dollars") << u"a $$(b) $$((1 + 2)); c"_s << QStringList{u"b"_s, u"a"_s, u"c"_s};
        QTest::newRow("unended") << u"a $(b 'c"_s << QStringList{u"b"_s, u"a"_s};
    }

    void programs()
    {
        QFETCH(QString, text);
        QStringList programs;
        for (const ShellCommand &command : shellCommands(text))
            programs += command.programName();
        QTEST(programs, "programs");
    }

    void names_areThoseThatItSets()
    {
        QCOMPARE(namesSetBy(u"a=1 b=2; for c in 1 2; do read -r d e; done; while f=$(x); do :; done; echo g=1"),
                 (QStringList{u"a"_s, u"b"_s, u"c"_s, u"d"_s, u"e"_s, u"f"_s}));
    }

    void wait_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("seconds"); // -1: endless, -2: none
        QTest::addColumn<bool>("loop");
        QTest::newRow("no wait") << u"echo hello"_s << -2 << false;
        QTest::newRow("sleep") << u"sleep 30; echo x"_s << 30 << false;
        QTest::newRow("endless") << u"while true; do sleep 5; done"_s << -1 << true;
        QTest::newRow("until") << u"until test -e /x; do sleep 2; done"_s << -1 << true;
        QTest::newRow("seq") << u"for i in $(seq 1 60); do sleep 5; done"_s << 300 << true;
        QTest::newRow("seq doubled") << u"for i in $$(seq 120); do sleep 5; done"_s << 600 << true;
        QTest::newRow("braces") << u"for i in {1..10}; do sleep 1m; done"_s << 600 << true;
        QTest::newRow("words") << u"for i in 1 2 3; do sleep 10; done"_s << 30 << true;
        QTest::newRow("counter") << u"i=0; while [ $i -lt 40 ]; do i=$((i+1)); sleep 3; done"_s << 120 << true;
        QTest::newRow("reading is no waiting") << u"while read x; do echo $x; done"_s << -2 << false;
    }

    void wait()
    {
        QFETCH(QString, text);
        QFETCH(int, seconds);
        const auto wait = waitOf(text);
        if (seconds == -2) {
            QVERIFY(!wait);
            return;
        }
        QVERIFY(wait);
        QCOMPARE(wait->limit.count(), seconds == -1 ? endlessTime.count() : qint64(seconds) * 1'000'000);
        QTEST(wait->isLoop, "loop");
    }

    void span_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("microseconds"); // -1: none
        QTest::newRow("seconds") << u"90"_s << qint64(90'000'000);
        QTest::newRow("as systemctl prints it") << u"1min 30s"_s << qint64(90'000'000);
        QTest::newRow("without blanks") << u"1h30m"_s << qint64(5'400'000'000);
        QTest::newRow("fraction") << u"2.5 min"_s << qint64(150'000'000);
        QTest::newRow("milliseconds") << u"100ms"_s << qint64(100'000);
        QTest::newRow("infinity") << u"infinity"_s << qint64(endlessTime.count());
        QTest::newRow("not set") << u"[not set]"_s << qint64(-1);
        QTest::newRow("words") << u"soon"_s << qint64(-1);
        QTest::newRow("empty") << QString() << qint64(-1);
        QTest::newRow("unit alone") << u"min"_s << qint64(-1);
        QTest::newRow("as many as fit") << u"99999999999999999999y"_s << qint64(endlessTime.count());
    }

    void span()
    {
        QFETCH(QString, text);
        const auto span = parseTimeSpan(text);
        QTEST(qint64(span ? span->count() : -1), "microseconds");
    }

    void spanText_isReadBack()
    {
        for (const qint64 us :
             {250'000LL, 1'500'000LL, 90'000'000LL, 600'000'000LL, 3'600'000'000LL, 7'265'000'000LL}) {
            const auto span = std::chrono::microseconds(us);
            QCOMPARE(parseTimeSpan(timeSpanText(span)).value().count(), us);
        }
        QCOMPARE(timeSpanText(std::chrono::seconds(600)), u"10min"_s);
    }
};

PILOTHOUSE_TEST_MAIN(TstShellText)
#include "tst_shelltext.moc"

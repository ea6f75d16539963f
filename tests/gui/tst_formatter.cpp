// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/text/formatter.h"

#include "tests/gui/scenes.h"
#include "tests/support/testmain.h"
#include "ui/text/ownertext.h"

using namespace pilothouse;
using namespace Qt::StringLiterals;

class TstFormatter : public QObject
{
    Q_OBJECT
private slots:
    void duration_steps_data()
    {
        QTest::addColumn<qint64>("ms");
        QTest::addColumn<QString>("text");
        QTest::newRow("negative") << qint64{-5} << u"0.0 s"_s;
        QTest::newRow("tenths, cut and not rounded up") << qint64{899} << u"0.8 s"_s;
        QTest::newRow("just below ten") << qint64{9999} << u"9.9 s"_s;
        QTest::newRow("seconds") << qint64{14'200} << u"14 s"_s;
        QTest::newRow("still seconds") << qint64{99'000} << u"99 s"_s;
        QTest::newRow("minutes") << qint64{754'000} << u"12 min"_s;
        QTest::newRow("hours") << qint64{7'830'000} << u"2 h 10 min"_s;
        QTest::newRow("days") << qint64{3'568'320'000} << u"41 d"_s;
    }
    void duration_steps()
    {
        QFETCH(qint64, ms);
        QFETCH(QString, text);
        QCOMPARE(format::duration(ms), text);
        QCOMPARE(format::ago(ms), text + u" ago"_s);
    }

    void memory_fixedDecimals()
    {
        QCOMPARE(format::memory(96619.0), u"94.4 GiB"_s);
        QCOMPARE(format::memory(0.0), u"0.0 GiB"_s);
        QCOMPARE(format::memory(Quantity<qint64>::unknown(UnknownReason::NotSupported)), u"–"_s);
        QCOMPARE(format::exactMib(qint64{96619}), u"96619 MiB"_s);
    }

    void usedOfTotal_partsUnknown_data()
    {
        QTest::addColumn<bool>("used");
        QTest::addColumn<bool>("total");
        QTest::addColumn<QString>("text");
        QTest::newRow("both") << true << true << u"94.4 / 95.6"_s;
        QTest::newRow("total unknown") << true << false << u"94.4 / –"_s;
        QTest::newRow("used unknown") << false << true << u"– / 95.6"_s;
        QTest::newRow("neither") << false << false << u"–"_s;
    }
    void usedOfTotal_partsUnknown()
    {
        QFETCH(bool, used);
        QFETCH(bool, total);
        QFETCH(QString, text);
        const Quantity<qint64> none;
        QCOMPARE(format::usedOfTotal(used ? Quantity<qint64>(96619) : none, total ? Quantity<qint64>(97887) : none),
                 text);
    }

    void hostMemory_units_data()
    {
        QTest::addColumn<qint64>("kib");
        QTest::addColumn<QString>("text");
        QTest::newRow("KiB") << qint64{512} << u"512 KiB"_s;
        QTest::newRow("MiB") << qint64{14'336} << u"14.0 MiB"_s;
        QTest::newRow("GiB") << qint64{6'812'345} << u"6.5 GiB"_s;
    }
    void hostMemory_units()
    {
        QFETCH(qint64, kib);
        QFETCH(QString, text);
        QCOMPARE(format::hostMemory(kib), text);
    }

    void figures_unknownIsADash()
    {
        QCOMPARE(format::percent(Quantity<double>()), u"–"_s);
        QCOMPARE(format::percent(0.0), u"0 %"_s);
        QCOMPARE(format::celsius(41.0), u"41 °C"_s);
        QCOMPARE(format::watts(Quantity<double>()), u"–"_s);
        QCOMPARE(format::count(Quantity<qint64>()), u"–"_s);
    }

    void reason_hasTheHostsWord()
    {
        const auto quantity = Quantity<double>::unknown(UnknownReason::Failed, u"[Unknown Error]"_s);
        QCOMPARE(format::reason(quantity),
                 u"Unknown: reading it failed on the host.\nThe host said: [Unknown Error]"_s);
        QVERIFY(format::reason(Quantity<double>(1.0)).isEmpty());
    }

    void localTime_byDistance_data()
    {
        QTest::addColumn<qint64>("ageS");
        QTest::addColumn<QString>("text");
        QTest::newRow("today") << qint64{754} << u"22:51:59"_s;
        QTest::newRow("this week") << qint64{2 * 86400} << u"Thu 23:04"_s;
        QTest::newRow("before") << qint64{40 * 86400} << u"2026-02-02 23:04"_s;
        QTest::newRow("the host's clock is ahead") << qint64{-2 * 86400} << u"2026-03-16 23:04"_s;
    }
    void localTime_byDistance()
    {
        QFETCH(qint64, ageS);
        QFETCH(QString, text);
        const QDateTime now = test::sceneNow();
        QCOMPARE(format::localTime(now.addSecs(-ageS), now), text);
    }

    void utcAndAge_text()
    {
        const QDateTime now = test::sceneNow();
        QCOMPARE(format::utcAndAge(now.addSecs(-754), now), u"2026-03-14 22:51:59 UTC, 12 min ago"_s);
        QCOMPARE(format::utcAndAge({}, now), u"–"_s);
    }

    void ranges_shorten_data()
    {
        QTest::addColumn<QList<int>>("numbers");
        QTest::addColumn<QString>("text");
        QTest::newRow("none") << QList<int>() << QString();
        QTest::newRow("one") << QList<int>{3} << u"3"_s;
        QTest::newRow("two neighbours") << QList<int>{3, 4} << u"3, 4"_s;
        QTest::newRow("all") << QList<int>{0, 1, 2, 3, 4, 5, 6, 7} << u"0–7"_s;
        QTest::newRow("with a hole") << QList<int>{0, 1, 2, 6} << u"0–2, 6"_s;
    }
    void ranges_shorten()
    {
        QFETCH(QList<int>, numbers);
        QFETCH(QString, text);
        QCOMPARE(format::ranges(numbers), text);
    }

    void stateText_ofZombies()
    {
        Process process;
        process.state = u'Z';
        QCOMPARE(stateTextOf(process), u"zombie"_s);
        process.threads = 1;
        process.ppid = 12'199;
        QCOMPARE(stateTextOf(process), u"zombie (parent 12199)"_s); // 107
        process.threads = 3;
        QCOMPARE(stateTextOf(process), u"main thread exited, 2 still running"_s); // host 5
    }

    void shortName_data()
    {
        QTest::addColumn<QString>("comm");
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("name");
        QTest::newRow("renamed, cut at 15") << u"VLLM::Worker_TP"_s << QStringList{u"VLLM::Worker_TP0"_s}
                                            << u"VLLM::Worker_TP0"_s;
        QTest::newRow("short comm") << u"python3"_s << QStringList{u"/usr/bin/python3"_s, u"-c"_s} << u"python3"_s;
        const auto python = [](const QString &code) {
            return QStringList{u"/usr/bin/python3"_s, u"-I"_s, u"-c"_s, code};
        };
        QTest::newRow("tracker") << u"python3"_s
                                 << python(u"from multiprocessing.resource_tracker import main;main(4)"_s)
                                 << u"resource_tracker"_s;
        QTest::newRow("spawned") << u"python3.12"_s
                                 << python(u"from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5)"_s)
                                 << u"spawn_main"_s;
        QTest::newRow("thread's name of torch") << u"pt_main_thread"_s
                                                << python(u"from multiprocessing.forkserver import main; main(7)"_s)
                                                << u"forkserver"_s;
        QTest::newRow("renamed: its own name counts") << u"my_worker"_s
                                                      << python(u"from multiprocessing.spawn import spawn_main"_s)
                                                      << u"my_worker"_s;
        QTest::newRow("other code") << u"python3"_s << python(u"import time; time.sleep(9)"_s) << u"python3"_s;
        QTest::newRow("zombie") << u"vllm"_s << QStringList() << u"vllm"_s;
        QTest::newRow("nothing known") << QString() << QStringList() << u"[driver]"_s;
    }
    void shortName()
    {
        QFETCH(QString, comm);
        QFETCH(QStringList, arguments);
        QFETCH(QString, name);
        Process process;
        process.comm = comm;
        process.arguments = arguments;
        process.command = arguments.join(u' ');
        process.driverName = u"[driver]"_s;
        QCOMPARE(shortNameOf(process), name);
        if (comm.isEmpty()) { // host 11
            process.driverName.clear();
            process.pid = Pid{14'496};
            QCOMPARE(shortNameOf(process), u"PID 14496"_s);
        }
    }

    void ownerText_data()
    {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::newRow("unit") << int(Owner::Kind::Unit) << u"vllm.service"_s << u"vllm.service"_s;
        QTest::newRow("session") << int(Owner::Kind::Session) << u"session-361.scope"_s << u"session 361"_s;
        QTest::newRow("container") << int(Owner::Kind::Container) << u"docker 9ec3"_s << u"container docker 9ec3"_s;
        QTest::newRow("unknown") << int(Owner::Kind::Unknown) << QString() << u"–"_s;
    }
    void ownerText()
    {
        QFETCH(int, kind);
        QFETCH(QString, name);
        QFETCH(QString, text);
        QCOMPARE(textOf(Owner{static_cast<Owner::Kind>(kind), name}), text);
    }
};

PILOTHOUSE_TEST_MAIN(TstFormatter)
#include "tst_formatter.moc"

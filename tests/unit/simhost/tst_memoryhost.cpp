// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/simhost/memoryhost.h"
#include "tests/support/testmain.h"

#include <QSet>
#include <QStringList>

using namespace pilothouse;
using namespace Qt::StringLiterals;

/// A host that is only made up, in the words of the tools that would tell of it.
class TstMemoryhost final : public QObject
{
    Q_OBJECT

    static QStringList rows(const std::string &text)
    {
        return QString::fromStdString(text).split(u'\n', Qt::SkipEmptyParts);
    }
    static QStringList column(const MemoryHost &host, const std::string &field) { return rows(host.gpuRows({field})); }

private slots:
    void gpus_figuresAddUp_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<int>("used");
        QTest::newRow("serving") << int(MemoryState::Serving) << 96619;
        QTest::newRow("free") << int(MemoryState::Free) << 4;
        QTest::newRow("left over") << int(MemoryState::Leftover) << 96619;
    }
    void gpus_figuresAddUp()
    {
        QFETCH(const int, state);
        QFETCH(const int, used);
        const MemoryHost host("gpu1", 300, MemoryState(state));
        const QStringList memory = rows(host.gpuRows({"memory.used", "memory.free", "memory.reserved", "memory.total"}));
        QCOMPARE(memory.size(), MemoryHost::cards);
        for (const QString &row : memory) {
            const QStringList cells = row.split(u", "_s);
            QCOMPARE(cells.size(), 4);
            QCOMPARE(cells.at(0).toInt(), used);
            QCOMPARE(cells.at(0).toInt() + cells.at(1).toInt() + cells.at(2).toInt(), cells.at(3).toInt());
        }
    }

    void gpus_areEightDifferentOnes()
    {
        const MemoryHost host("gpu1", 300);
        for (const std::string field : {"uuid", "pci.bus_id", "index"}) {
            const QStringList values = column(host, field);
            QCOMPARE(QSet<QString>(values.begin(), values.end()).size(), MemoryHost::cards);
        }
        // The same from tick to tick, and on the bus.
        QCOMPARE(column(host, "uuid"), column(host, "uuid"));
        const QStringList bus = rows(host.pciLines());
        const QStringList ids = column(host, "pci.bus_id");
        QCOMPARE(bus.size(), ids.size());
        for (qsizetype i = 0; i < ids.size(); ++i)
            QCOMPARE(u"0000"_s + bus.at(i).section(u' ', 0, 0), ids.at(i).toLower());
    }

    void gpus_unknownFieldIsNotApplicable()
    {
        const MemoryHost host("gpu1", 300);
        QCOMPARE(column(host, "no.such.field").first(), u"[N/A]"_s);
        QCOMPARE(rows(host.gpuRows({"index", "no.such.field"})).at(7), u"7, [N/A]"_s);
    }

    void apps_nameTheWorkersOfEachCard()
    {
        const MemoryHost host("gpu1", 300);
        const QStringList apps = rows(host.appRows({"gpu_uuid", "pid", "used_memory", "process_name"}));
        const QStringList uuids = column(host, "uuid");
        QCOMPARE(apps.size(), MemoryHost::cards);
        for (int i = 0; i < MemoryHost::cards; ++i) {
            const QStringList cells = apps.at(i).split(u", "_s);
            QCOMPARE(cells.at(0), uuids.at(i));
            QCOMPARE(cells.at(2), u"96615"_s);
            QCOMPARE(cells.at(3), u"VLLM::Worker_TP%1"_s.arg(i));
        }
        QVERIFY(MemoryHost("gpu2", 300, MemoryState::Free).appRows({"pid"}).empty());
    }

    void processes_asManyAsAsked_data()
    {
        QTest::addColumn<int>("count");
        QTest::addColumn<int>("there");
        QTest::newRow("crowd") << 3000 << 3000;
        QTest::newRow("usual") << 300 << 300;
        QTest::newRow("fewer than the server needs") << 0 << 11;
    }
    void processes_asManyAsAsked()
    {
        QFETCH(const int, count);
        QFETCH(const int, there);
        const MemoryHost host("gpu1", count);
        QCOMPARE(int(host.processes().size()), there);
        QSet<int> pids;
        for (const MemoryProcess &process : host.processes())
            pids += process.pid;
        QCOMPARE(pids.size(), there);
    }

    void processes_ofALeftover_haveNoLauncher()
    {
        const MemoryHost host("gpu3", 300, MemoryState::Leftover);
        for (const MemoryProcess &process : host.processes()) {
            QVERIFY(process.pid != MemoryHost::serverPid);
            if (process.comm == "VLLM::EngineCor")
                QCOMPARE(process.parent, 1); // orphaned
        }
        QVERIFY(host.holds());
        QVERIFY(!host.listens());
        QVERIFY(host.unitMembers().empty()); // they were started by hand
        QCOMPARE(rows(MemoryHost("gpu1", 300).unitMembers()).first().split(u' ', Qt::SkipEmptyParts).size(), 11);
    }

    void processLines_areThoseOfTheKernel()
    {
        const MemoryHost host("gpu1", 300);
        const MemoryProcess &worker = host.processes().at(3);
        const std::string text = host.processLines(worker, false);
        const QStringList lines = rows(text);
        QCOMPARE(lines.size(), 3);
        const QString pid = QString::number(worker.pid);
        QVERIFY2(lines.at(0).startsWith(u"%1/stat:%1 (VLLM::Worker_TP) S "_s.arg(pid)), qPrintable(lines.at(0)));
        QCOMPARE(lines.at(0).section(u") "_s, 1).split(u' ').size(), 50); // fields 3 to 52
        QCOMPARE(lines.at(1), pid + u"/cgroup:0::/system.slice/vllm-kimi-k25.service"_s);
        QCOMPARE(lines.at(2), pid + u"/cmdline:VLLM::Worker_TP0"_s);
        QCOMPARE(rows(host.processLines(worker, true)).size(), 1);
        // Arguments are divided by NUL, as the kernel keeps them.
        QVERIFY(host.processLines(host.processes().front(), false).find(std::string("-m\0vllm", 7)) != std::string::npos);
    }

    void units_knownAndUnknown_data()
    {
        QTest::addColumn<int>("state");
        QTest::addColumn<QString>("active");
        QTest::addColumn<QString>("sub");
        QTest::newRow("serving") << int(MemoryState::Serving) << u"active"_s << u"running"_s;
        QTest::newRow("free") << int(MemoryState::Free) << u"inactive"_s << u"dead"_s;
        QTest::newRow("left over: it waits") << int(MemoryState::Leftover) << u"activating"_s << u"start-pre"_s;
    }
    void units_knownAndUnknown()
    {
        QFETCH(const int, state);
        QFETCH(const QString, active);
        QFETCH(const QString, sub);
        const MemoryHost host("gpu1", 300, MemoryState(state));
        const std::string text = host.unitLines({"vllm-kimi-k25.service", "nope.service"},
                                                {"Id", "LoadState", "ActiveState", "SubState", "Unheard"});
        const QStringList units = QString::fromStdString(text).split(u"\n\n"_s);
        QCOMPARE(units.size(), 2);
        QCOMPARE(rows(units.at(0).toStdString()),
                 (QStringList{u"Id=vllm-kimi-k25.service"_s, u"LoadState=loaded"_s, u"ActiveState="_s + active,
                              u"SubState="_s + sub, u"Unheard="_s}));
        QVERIFY(units.at(1).contains(u"LoadState=not-found\nActiveState=inactive\nSubState=dead"_s));
    }

    void hosts_differAndStayTheSame()
    {
        const MemoryHost one("gpu1", 300);
        const MemoryHost again("gpu1", 300);
        const MemoryHost other("gpu2", 300);
        QCOMPARE(one.bootId(), again.bootId());
        QVERIFY(one.bootId() != other.bootId());
        QCOMPARE(one.bootId().size(), 36U);
        QVERIFY(column(one, "uuid") != column(other, "uuid"));
    }
};

PILOTHOUSE_TEST_MAIN(TstMemoryhost)
#include "tst_memoryhost.moc"

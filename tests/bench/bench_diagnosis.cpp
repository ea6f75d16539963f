// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What a diagnosis of 5,000 processes costs: 400 servers of eleven processes each, half of them killed and left over,
// and processes of other people. Time, and what it adds to the console's memory at its highest.
#include "tests/bench/figures.h"
#include "tests/unit/diagnosis/casefile.h"

#include <QElapsedTimer>
#include <QFile>

#include <malloc.h>

using namespace pilothouse;
using namespace pilothouse::test;
using namespace pilothouse::bench;
using namespace Qt::StringLiterals;

namespace {

constexpr int servers = 400;
constexpr int others = 600;
constexpr int rounds = 31;

QByteArray host()
{
    QByteArray text = "# composed for this bench\ntitle many\ngpu 0..7 used=96619\n";
    for (int server = 0; server < servers; ++server) {
        const QByteArray main = QByteArray::number(10'000 + 20 * server);
        const auto pid = [&](int of) { return QByteArray::number(10'000 + 20 * server + of); };
        const QByteArray common = " sid=" + main + " pipe=" + main;
        // The others' launchers are gone, as after a pkill that missed the renamed children.
        if (server % 2 == 0)
            text += "process " + main + common + " age=7200 : /opt/v/bin/python3 /opt/v/bin/vllm serve m\n";
        const QByteArray parent = server % 2 == 0 ? main : QByteArray("1");
        text += "process " + pid(1) + common + " ppid=" + parent + " age=7190 : VLLM::EngineCore\n"
                + "process " + pid(2) + common
                + " age=7200 : /opt/v/bin/python3 -c 'from multiprocessing.resource_tracker import main;main(42)'\n"
                + "process " + pid(3) + ".." + pid(10) + common + " ppid=" + pid(1)
                + " age=7100 mem=%:200 dev=nvidiactl,nvidia% : VLLM::Worker_TP%\n";
    }
    for (int i = 0; i < others + servers / 2; ++i)
        text += "process " + QByteArray::number(50'000 + i) + " user=u" + QByteArray::number(i % 40) + ":"
                + QByteArray::number(2000 + i % 40) + " : python3 train.py --run " + QByteArray::number(i) + '\n';
    return text;
}

/// Of this process, in MiB: "VmRSS", "VmHWM".
double memoryMib(const QByteArray &key)
{
    QFile status(u"/proc/self/status"_s);
    if (!status.open(QIODevice::ReadOnly))
        qFatal("no status");
    for (const QByteArray &line : status.readAll().split('\n')) {
        if (line.startsWith(QByteArray(key + ':')))
            return line.simplified().split(' ').value(1).toDouble() / 1024;
    }
    qFatal("no figure");
}

} // namespace

int main()
{
    const Case many = parseCase(host());
    if (!many.error.isEmpty() || many.now.processes->size() != 5000)
        qFatal("the host was not composed: %s, %d", qPrintable(many.error), int(many.now.processes->size()));
    Lineage lineage = remember(remember({}, many.before), many.before);

    malloc_trim(0);
    QFile reset(u"/proc/self/clear_refs"_s); // 5: the highest so far is what it is now
    if (!reset.open(QIODevice::WriteOnly) || reset.write("5") != 1 || !reset.flush())
        qFatal("the highest memory cannot be measured here");
    const double before = memoryMib("VmRSS");
    Diagnosis diagnosis;
    QList<double> cold;
    QList<double> warm;
    QList<double> remembering;
    const auto timed = [](QList<double> &times, const auto &work) {
        QElapsedTimer timer;
        timer.start();
        work();
        times += double(timer.nsecsElapsed()) / 1e6;
    };
    const Lineage nothing;
    Snapshot now = many.now;
    const auto diagnosedWith = [&](const Lineage &known) {
        return diagnose({now, known, many.login, many.services, many.ports, many.ownPids, {}});
    };
    for (int i = 0; i < rounds; ++i) {
        timed(cold, [&] { diagnosis = diagnosedWith(nothing); });
        timed(warm, [&] { diagnosis = diagnosedWith(lineage); });
        timed(remembering, [&] { lineage = remember(std::move(lineage), now); });
        now.takenAt = now.takenAt.addSecs(2); // a tick in view: the whole minute is remembered in the end
    }
    const double added = memoryMib("VmHWM") - before;
    const auto leftovers = std::ranges::count(diagnosis.processes, Verdict::Leftover, &ProcessVerdict::verdict);
    if (leftovers != servers / 2 * 9)
        qFatal("%d leftovers", int(leftovers));
    bool held = show(u"diagnosis of 5,000 processes, just connected"_s, median(cold), u"ms"_s, 20);
    held = show(u"diagnosis of 5,000 processes, having watched"_s, median(warm), u"ms"_s, 20) && held;
    show(u"remembering 5,000 processes"_s, median(remembering), u"ms"_s);
    held = show(u"diagnosis of 5,000 processes: memory added at the highest"_s, added, u"MiB"_s, 20) && held;
    return held ? 0 : 1;
}

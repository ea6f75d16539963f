// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the tests of this folder share: fixtures from tests/data, and raw answers of a host that is well, for a test to
// spoil one thing at a time.

#include "core/probe/assemble.h"
#include "core/probe/parse/smicsv.h"

#include <QFile>
#include <QTest>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

/// Without its first line, which says where it comes from.
inline QByteArray fixture(const QString &path)
{
    QFile file(QStringLiteral(PILOTHOUSE_TEST_DATA "/") + path);
    if (!file.open(QIODevice::ReadOnly))
        qFatal("no fixture %s", qPrintable(path));
    const QByteArray whole = file.readAll();
    return whole.sliced(whole.indexOf('\n') + 1);
}

inline RawSection sectionOf(const QByteArray &output, int exitStatus = 0, const QByteArray &errors = {})
{
    RawSection section;
    section.asked = true;
    section.complete = true;
    section.exitStatus = exitStatus;
    section.startedAt = 1000.01;
    section.endedAt = 1000.06;
    section.output = output;
    section.errors = errors;
    return section;
}

inline RawSection brokenSection(const QString &trouble)
{
    RawSection section;
    section.asked = true;
    section.trouble = trouble;
    return section;
}

inline QByteArray uuidOf(int index)
{
    return "GPU-0000000" + QByteArray::number(index) + "-1111-2222-3333-444444444444";
}

inline QByteArray busOf(int index)
{
    return "00000000:" + QByteArray::number(10 + index) + ":00.0";
}

/// A row of smiGpuFields() of a card that is well and holds `used` MiB.
inline QByteArray gpuRow(int index, int used = 4, const QByteArray &name = "NVIDIA H100 80GB HBM3")
{
    const QByteArray number = QByteArray::number(index);
    return number + ", " + uuidOf(index) + ", " + busOf(index) + ", 590.48.01, 81559, " + QByteArray::number(used)
           + ", " + QByteArray::number(81080 - used) + ", 479, 0, 41, 69.85, Enabled, Disabled, None, " + name + '\n';
}

inline QByteArray pciLines(int count)
{
    QByteArray lines;
    for (int i = 0; i < count; ++i)
        lines += "0000:" + QByteArray::number(10 + i) + ":00.0 0x10de 0x030200\n";
    return lines;
}

/// stat of a live process; `start` in ticks of 10 ms.
inline QByteArray statOf(qint64 pid, const QByteArray &comm, quint64 start = 50'000, char state = 'S', qint64 ppid = 1)
{
    return QByteArray::number(pid) + " (" + comm + ") " + state + ' ' + QByteArray::number(ppid)
        + " 4242 4242 0 -1 4194560 2035 0 1 0 120 30 0 0 20 0 77 0 " + QByteArray::number(start)
        + " 18325504000 2500 18446744073709551615 1 1 0 0 0 0 0 16781312 17642 0 0 0 17 5 0 0 0 0 0\n";
}

inline RawProcess processOf(qint64 pid, const QByteArray &title, const QByteArray &comm)
{
    RawProcess process;
    process.pid = pid;
    process.uid = 0;
    process.stat = statOf(pid, comm);
    process.cmdline = title + '\0';
    process.cgroup = "0::/user.slice/user-0.slice/session-3.scope\n";
    return process;
}

/// Two cards, a worker on each, one unit asked for.
inline HostAnswer wellHost()
{
    HostAnswer answer;
    answer.tick = 1;
    answer.bootId = u"5f2c1a6e-0000-4000-8000-000000000001"_s;
    answer.kernel = u"6.1.0-28-amd64"_s;
    answer.uptimeBefore = 1000.00;
    answer.uptimeAfter = 1000.06;
    answer.root = true;
    answer.users = {{0, u"root"_s}};
    answer.processes = QList<RawProcess>{processOf(4242, "VLLM::Worker_TP0", "VLLM::Worker_TP"),
        processOf(4243, "VLLM::Worker_TP1", "VLLM::Worker_TP")};
    answer.meminfo = sectionOf("MemTotal:       527824436 kB\nMemFree: 1 kB\nMemAvailable:   501824436 kB\n");
    answer.loadavg = sectionOf("0.52 0.58 0.59 1/2034 4243\n");
    answer.vmstat = sectionOf("oom_kill 0\n");
    answer.pci = sectionOf(pciLines(2));
    answer.smi.status = GpuSource::Status::Ok;
    answer.smi.askedFields = smiGpuFields();
    answer.smi.gpus = sectionOf(gpuRow(0, 70'004) + gpuRow(1, 70'004));
    answer.smi.apps =
        sectionOf(uuidOf(0) + ", 4242, 70000, VLLM::Worker_TP0\n" + uuidOf(1) + ", 4243, 70000, VLLM::Worker_TP1\n");
    return answer;
}

inline QDateTime noon(int seconds = 0)
{
    return QDateTime(QDate(2026, 12, 1), QTime(12, 0), Qt::UTC).addSecs(seconds);
}

inline bool sameContent(const Snapshot &a, const Snapshot &b)
{
    return a.processes == b.processes && a.gpus == b.gpus && a.gpuSource == b.gpuSource && a.units == b.units
        && a.system == b.system && a.problems == b.problems && a.listening == b.listening && a.shm == b.shm
        && a.unknown == b.unknown;
}

/// Each answer is read once more with what the call before left in the memo, and a third time with its own: the bytes
/// of another tick never show, and bytes that come again give the same.
inline Snapshot assembled(const HostAnswer &answer, const ProbeSettings &settings = {})
{
    AssembleMemory memory;
    const Snapshot snapshot = assemble(answer, settings, memory, noon());
    static ReadMemo before;
    for (int time = 0; time < 2; ++time) {
        AssembleMemory remembering;
        remembering.read = before;
        if (!sameContent(assemble(answer, settings, remembering, noon()), snapshot))
            qFatal("the memo changes what is read");
        before = remembering.read;
    }
    return snapshot;
}

inline const Problem *problemCalled(const Snapshot &snapshot, const QString &code)
{
    for (const Problem &problem : snapshot.problems) {
        if (problem.code == code)
            return &problem;
    }
    return nullptr;
}

inline QStringList codesOf(const Snapshot &snapshot)
{
    QStringList codes;
    for (const Problem &problem : snapshot.problems)
        codes += problem.code;
    return codes;
}

inline const Process *processCalled(const Snapshot &snapshot, qint64 pid)
{
    if (!snapshot.processes)
        return nullptr;
    for (const Process &process : *snapshot.processes) {
        if (process.pid.value == pid)
            return &process;
    }
    return nullptr;
}

} // namespace pilothouse::test

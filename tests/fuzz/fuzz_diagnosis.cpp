// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Any snapshot, however odd, gets a diagnosis: nothing crashes, nothing is preselected that may never be.
#include "core/diagnosis/diagnose.h"

#include <algorithm>
#include <cstdlib>

using namespace pilothouse;
using namespace Qt::StringLiterals;

namespace {

const QStringList commands{u"VLLM::EngineCore"_s, u"VLLM::Worker_TP0"_s, u"python3 /v/bin/vllm serve m --nnodes 2"_s,
    u"python3 -m vllm.entrypoints.openai.api_server"_s, u"sglang::scheduler_TP0"_s, u"ray::IDLE"_s,
    u"/v/raylet x"_s, u"python3 -c from_multiprocessing"_s, u"pt_data_worker"_s, u"python3 train.py"_s,
    u"/usr/bin/nvidia-persistenced"_s, u"/bin/bash -c VLLM::Worker_TP0"_s, u"x"_s, QString(),
    u"python3 -m ipykernel_launcher"_s, u"/opt/tritonserver"_s};

/// Takes bytes as long as there are any, then zeros.
class Bytes
{
public:
    Bytes(const std::uint8_t *data, std::size_t size)
        : m_data(data)
        , m_size(size)
    {
    }
    bool more() const { return m_at < m_size; }
    int next() { return m_at < m_size ? m_data[m_at++] : 0; }
    int below(int limit) { return next() % limit; }
    bool yes() { return next() % 2 == 1; }

private:
    const std::uint8_t *m_data;
    std::size_t m_size;
    std::size_t m_at = 0;
};

Quantity<qint64> number(Bytes &bytes)
{
    const int value = bytes.next();
    return value == 255 ? Quantity<qint64>::unknown(UnknownReason::NoPermission) : Quantity<qint64>(value - 3);
}

Process process(Bytes &bytes)
{
    Process p;
    p.pid = Pid{bytes.below(24) - 2};
    p.startTicks = bytes.yes() ? Quantity<quint64>(quint64(bytes.below(8))) : Quantity<quint64>();
    p.ppid = number(bytes);
    p.pgid = p.sid = number(bytes);
    p.uid = bytes.below(3);
    p.user = bytes.yes() ? u"root"_s : u"a"_s;
    const char16_t states[] = u"RSDZTX";
    if (bytes.below(8) > 0)
        p.state = QChar(states[bytes.below(6)]);
    p.threads = bytes.below(4);
    p.command = commands.at(bytes.below(int(commands.size())));
    p.arguments = bytes.yes() ? p.command.split(u' ') : QStringList(p.command);
    p.comm = bytes.yes() ? u"raylet"_s : p.command.left(15);
    p.elapsedS = double(bytes.next()) * 40 - 40;
    const Owner::Kind kinds[] = {Owner::Kind::Unit, Owner::Kind::UserUnit, Owner::Kind::Session, Owner::Kind::Container,
        Owner::Kind::Slurm, Owner::Kind::Kernel, Owner::Kind::Unknown};
    p.owner = {kinds[bytes.below(7)], u"a.service"_s};
    p.cgroup = bytes.yes() ? u"/a"_s : u"/b"_s;
    p.exiting = bytes.below(8) == 7;
    if (bytes.yes())
        p.gpuMemory += ProcessGpuMemory{bytes.below(3) - 1, {}, number(bytes)};
    if (bytes.yes())
        p.devices = QStringList{u"/dev/nvidia-uvm"_s};
    if (bytes.yes())
        p.deep.trackerPipes = QList<quint64>{quint64(bytes.below(3))};
    if (bytes.below(6) == 5)
        p.deep.killPending = true;
    if (bytes.below(6) == 5)
        p.deep.parentName = u"bash"_s;
    return p;
}

void fill(Bytes &bytes, Snapshot &snapshot)
{
    snapshot.depth = bytes.below(8) > 0 ? Depth::Deep : Depth::Light;
    snapshot.bootId = bytes.below(8) > 0 ? u"b"_s : QString();
    if (bytes.below(8) > 0) {
        snapshot.gpus.emplace();
        for (int i = bytes.below(3); i >= 0; --i) {
            Gpu gpu;
            gpu.index = i - 1;
            gpu.memoryUsedMib = gpu.unattributedMib = number(bytes);
            gpu.utilizationPct = bytes.below(4) == 0 ? Quantity<double>(7) : Quantity<double>(0);
            *snapshot.gpus += gpu;
        }
    }
    snapshot.units.emplace();
    Unit unit;
    unit.name = u"a.service"_s;
    unit.active = bytes.yes() ? u"failed"_s : u"active"_s;
    unit.mainPid = number(bytes);
    *snapshot.units += unit;
    if (bytes.yes()) {
        snapshot.listening.emplace();
        *snapshot.listening += ListeningPort{{}, quint16(bytes.next()), number(bytes)};
    } else if (bytes.yes()) {
        snapshot.listening.emplace();
    }
    snapshot.processes.emplace();
    for (int i = bytes.below(20); i > 0 && bytes.more(); --i)
        *snapshot.processes += process(bytes);
}

void check(const Snapshot &snapshot, const Diagnosis &diagnosis)
{
    const auto require = [](bool holds) {
        if (!holds)
            std::abort();
    };
    require(diagnosis.processes.size() == snapshot.processes->size());
    for (qsizetype at = 0; at < diagnosis.processes.size(); ++at) {
        const ProcessVerdict &judged = diagnosis.processes.at(at);
        const Process &process = snapshot.processes->at(at);
        require(judged.pid == process.pid);
        require(!judged.evidence.isEmpty() && !judged.evidence.contains(QString()));
        if (!judged.preselected)
            continue;
        require(judged.verdict == Verdict::Leftover && judged.identity && !judged.family.isEmpty());
        require(process.pid.value > 1 && process.pid.value != 17 && process.sid.valueOr(0) != 17);
        require(process.owner.kind != Owner::Kind::Kernel && snapshot.depth == Depth::Deep && process.state);
        require(process.deep.killPending != true && !process.exiting);
    }
    for (const Family &family : diagnosis.families) {
        require(!family.members.isEmpty());
        // Whole: no member of a family that is left alone is to be ended.
        for (const ProcessVerdict &judged : diagnosis.processes)
            require(!judged.preselected || judged.family != family.id || family.verdict == Verdict::Leftover);
    }
    if (!snapshot.gpus)
        require(diagnosis.host.state == HostState::Unknown && !diagnosis.host.heldMib.isKnown());
    require(!diagnosis.host.text.isEmpty());
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    Bytes bytes(data, size);
    Lineage lineage;
    const LoginRights login{u"root"_s, 0, bytes.yes()};
    const QDateTime start(QDate(2026, 5, 1), QTime(12, 0), Qt::UTC);
    for (int look = 0; look < 3; ++look) {
        Snapshot snapshot;
        snapshot.takenAt = start.addSecs(look * 20);
        fill(bytes, snapshot);
        QHash<quint16, PortAnswer> ports;
        if (bytes.yes())
            ports.insert(quint16(bytes.next()), PortAnswer::Answers);
        const Diagnosis diagnosis = diagnose({snapshot, lineage, login, {}, ports, {17}, {}, 1000});
        check(snapshot, diagnosis);
        if (!(diagnose({snapshot, lineage, login, {}, ports, {17}, {}, 1000}) == diagnosis))
            std::abort(); // the same in, the same out
        lineage = remember(lineage, snapshot);
    }
    return 0;
}

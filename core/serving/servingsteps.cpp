// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/serving/servingproof.h"

#include "core/base/cleantext.h"

#include <QJsonArray>

#include <algorithm>

// What a snapshot proves: whose processes, whose port, what they hold, and what the driver complained of.

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qint64 strangerMs = 4'000;     ///< that long the one before may still be closing
constexpr int looksWithoutMemory = 3;
constexpr double nearlyAll = 0.9;        ///< of the level that is remembered

bool isOn(const ProcessGpuMemory &memory, const ServingGpu &gpu)
{
    return gpu.uuid.isEmpty() || memory.gpuUuid.isEmpty() ? memory.gpu == gpu.index : memory.gpuUuid == gpu.uuid;
}

/// By these processes on this card.
Quantity<qint64> heldOn(const QList<Process> &members, const ServingGpu &gpu)
{
    qint64 sum = 0;
    for (const Process &process : members) {
        for (const ProcessGpuMemory &memory : process.gpuMemory) {
            if (!isOn(memory, gpu))
                continue;
            if (!memory.mib.isKnown())
                return memory.mib;
            sum += memory.mib.value();
        }
    }
    return sum;
}

/// A proxy that stands for somebody else: a container's, or systemd with its socket.
bool isStandIn(const PortOwner &owner)
{
    return owner.name == u"docker-proxy" || owner.name == u"rootlesskit" || owner.name == u"slirp4netns"
        || owner.name == u"pasta" || owner.name == u"systemd" || (owner.pid.isKnown() && owner.pid.value() == 1);
}

bool readsGpus(const Snapshot &snapshot)
{
    return snapshot.gpus && snapshot.processes && snapshot.gpuSource.status == GpuSource::Status::Ok;
}

} // namespace

void ServingProof::takeSnapshot(const Snapshot &snapshot, qint64 nowMs)
{
    if (snapshot.depth == Depth::Deep)
        m_snapshotAt = nowMs;
    if (m_verdict != Verdict::Open || !m_activeSince)
        return;
    if (m_stage == Stage::Port)
        m_endpoint = endpointOf(m_setup.wish, snapshot); // the command line is the new one
    lookAtProcesses(snapshot, nowMs);
    lookAtPort(snapshot, nowMs);
    lookForEngine(snapshot, nowMs);
    if (m_stage == Stage::Autopsy && snapshot.depth == Depth::Deep)
        fail(Name::Token, m_tokenWords, nowMs);
    if (m_stage == Stage::Memory)
        lookAtMemory(snapshot, nowMs);
    lookForXids(snapshot, nowMs);
    settle(nowMs);
}

void ServingProof::lookAtProcesses(const Snapshot &snapshot, qint64 nowMs)
{
    if (!snapshot.processes || !isOpen(Name::Pids))
        return;
    const QList<Process> members = membersOf(snapshot, m_setup.wish.unit, m_setup.wish.userUnit);
    QJsonArray pids;
    bool allKnown = true;
    for (const Process &process : members) {
        const std::optional<ProcessIdentity> identity = process.identity();
        allKnown = allKnown && identity.has_value();
        if (identity && m_setup.processesBefore.contains(*identity)) {
            fail(Name::Pids, u"PID %1 (%2) of the unit is one from before the start."_s
                                 .arg(process.pid.value).arg(process.comm), nowMs);
            return;
        }
        pids += process.pid.value;
    }
    if (members.isEmpty())
        set(Name::Pids, State::Running, u"no process of the unit is seen yet"_s, nowMs);
    else if (!allKnown)
        set(Name::Pids, State::Unproved, u"when its processes began is not told"_s, nowMs);
    else
        set(Name::Pids, State::Done, u"%1 new processes"_s.arg(members.size()), nowMs, {{u"pids"_s, pids}});
}

void ServingProof::lookAtPort(const Snapshot &snapshot, qint64 nowMs)
{
    if (snapshot.depth != Depth::Deep || !isOpen(Name::Port))
        return;
    const auto goOn = [&](State state, const QString &words, QJsonObject data = {}) {
        set(Name::Port, state, words, nowMs, std::move(data));
        m_stage = Stage::Health;
        m_askedAt.reset();
        set(Name::Health, State::Running, u"asked"_s, nowMs);
    };
    if (!m_endpoint.isKnown()) {
        set(Name::Port, State::Running, u"where it will listen is not known yet"_s, nowMs);
        return;
    }
    if (!m_endpoint.socket.isEmpty()) {
        goOn(State::Unproved, u"socket %1; whose it is, is not told"_s.arg(cleanLine(m_endpoint.socket, 120)));
        return;
    }
    const std::optional<PortOwner> owner = ownerOf(m_endpoint, m_setup.wish, snapshot);
    if (!owner) {
        goOn(State::Unproved, u"the listening ports cannot be read"_s);
        return;
    }
    if (!owner->listens) {
        set(Name::Port, State::Running, u"nothing listens at port %1 yet"_s.arg(m_endpoint.port), nowMs,
            {{u"port"_s, m_endpoint.port}});
        m_strangerSince.reset();
        return;
    }
    const QString who = owner->pid.isKnown()
        ? u"PID %1%2"_s.arg(owner->pid.value()).arg(owner->name.isEmpty() ? QString() : u" (%1)"_s.arg(owner->name))
        : u"a process that this account may not see"_s;
    QJsonObject data{{u"port"_s, m_endpoint.port}};
    if (owner->pid.isKnown())
        data.insert(u"pid"_s, owner->pid.value());
    if (owner->isOfUnit)
        goOn(State::Done, u"port %1, %2"_s.arg(m_endpoint.port).arg(who), data);
    else if (!owner->pid.isKnown())
        goOn(State::Unproved, u"port %1 is held by %2"_s.arg(m_endpoint.port).arg(who), data);
    else if (isStandIn(*owner) || m_endpoint.healthIsWished)
        goOn(State::Unproved, u"port %1 is held by %2, which is not of the unit"_s.arg(m_endpoint.port).arg(who), data);
    else if (m_strangerSince && nowMs - *m_strangerSince >= strangerMs)
        fail(Name::Port, u"Port %1 is held by %2, which is not of the unit: what answers there is somebody else."_s
                             .arg(m_endpoint.port).arg(who), nowMs);
    else {
        m_strangerSince = m_strangerSince.value_or(nowMs);
        set(Name::Port, State::Running, u"port %1 is held by %2, which is not of the unit"_s
                                            .arg(m_endpoint.port).arg(who), nowMs, data);
    }
}

/// It answers while nobody of the unit holds GPU memory: what answers is the shell of a server.
void ServingProof::lookForEngine(const Snapshot &snapshot, qint64 nowMs)
{
    if (!readsGpus(snapshot))
        return;
    bool holds = false;
    for (const Process &process : membersOf(snapshot, m_setup.wish.unit, m_setup.wish.userUnit))
        holds = holds || !process.gpuMemory.isEmpty();
    m_memorySeen = m_memorySeen || holds;
    m_withoutMemory = holds ? 0 : m_withoutMemory + 1;
    if (!mannersOf(m_endpoint.engine).needsGpu || holds || !m_answers)
        return;
    // While it loads it may answer 503 without any: only who had some and lost it is a corpse. Who says that it is
    // healthy has no excuse.
    const bool saysReady = step(Name::Health).state == State::Done;
    if (m_stage == Stage::Autopsy || (m_withoutMemory >= looksWithoutMemory && (saysReady || m_memorySeen)))
        fail(saysReady ? Name::Token : Name::Health,
             u"It answers, but the engine is gone: no process of the unit holds GPU memory.%1"_s
                 .arg(m_tokenWords.isEmpty() ? QString() : u' ' + m_tokenWords),
             nowMs, Verdict::EngineGone);
}

void ServingProof::lookAtMemory(const Snapshot &snapshot, qint64 nowMs)
{
    if (!isOpen(Name::Memory))
        return;
    if (!readsGpus(snapshot)) {
        set(Name::Memory, State::Unproved, u"the GPUs cannot be read"_s, nowMs);
        return;
    }
    const QList<Process> members = membersOf(snapshot, m_setup.wish.unit, m_setup.wish.userUnit);
    const QList<ServingGpu> gpus = m_setup.gpus.isEmpty() ? servingLevelOf(snapshot, m_setup.wish) : m_setup.gpus;
    QStringList missing;
    QJsonArray data;
    for (const ServingGpu &gpu : gpus) {
        const Quantity<qint64> held = heldOn(members, gpu);
        if (!held.isKnown()) {
            set(Name::Memory, State::Unproved, u"what they hold on GPU %1 is not told"_s.arg(gpu.index), nowMs);
            return;
        }
        const bool isRemembered = !m_setup.gpus.isEmpty() && gpu.servingMib.isKnown();
        const qint64 level = isRemembered ? qint64(nearlyAll * double(gpu.servingMib.value())) : m_setup.weightsMib;
        data += QJsonObject{{u"gpu"_s, gpu.index}, {u"mib"_s, held.value()}, {u"level"_s, level}};
        if (held.value() < level)
            missing += u"GPU %1: %2 of %3 MiB"_s.arg(gpu.index).arg(held.value()).arg(level);
    }
    const QJsonObject object{{u"gpus"_s, data}};
    if (gpus.isEmpty() && !mannersOf(m_endpoint.engine).needsGpu)
        set(Name::Memory, State::Unproved, u"it holds no GPU memory"_s, nowMs);
    else if (gpus.isEmpty())
        missing += u"no process of the unit holds GPU memory"_s;
    else if (missing.isEmpty())
        set(Name::Memory, State::Done, u"at serving level on %1 GPUs"_s.arg(gpus.size()), nowMs, object);
    if (missing.isEmpty())
        return;
    set(Name::Memory, State::Running, missing.join(u"; "_s), nowMs, object);
    if (runningFor(Name::Memory, nowMs) >= m_setup.limits.memory.count())
        fail(Name::Memory, u"Its memory did not reach its serving level: %1."_s.arg(missing.join(u"; "_s)), nowMs);
}

void ServingProof::lookForXids(const Snapshot &snapshot, qint64 nowMs)
{
    const std::optional<QStringList> xids = xidsOf(snapshot);
    if (!xids) {
        if (snapshot.depth == Depth::Deep && !isOpen(Name::Memory))
            set(Name::Xid, State::Unproved, u"the kernel log cannot be read"_s, nowMs);
        return;
    }
    if (!m_xidsBefore)
        m_xidsBefore = xids;
    for (const QString &xid : *xids) {
        if (!m_xidsBefore->contains(xid)) {
            fail(Name::Xid, xid, nowMs);
            return;
        }
    }
    if (!isOpen(Name::Memory)) // the last look counts
        set(Name::Xid, State::Done, u"no new Xid"_s, nowMs);
}

QList<ServingGpu> servingLevelOf(const Snapshot &snapshot, const ServiceWish &wish)
{
    const QList<Process> members = membersOf(snapshot, wish.unit, wish.userUnit);
    QList<ServingGpu> gpus;
    for (const Gpu &gpu : snapshot.gpus.value_or(QList<Gpu>())) {
        ServingGpu serving{gpu.index, gpu.uuid, {}};
        const bool holds = std::ranges::any_of(members, [&](const Process &process) {
            return std::ranges::any_of(process.gpuMemory, [&](const auto &memory) { return isOn(memory, serving); });
        });
        if (!holds)
            continue;
        serving.servingMib = heldOn(members, serving);
        gpus += serving;
    }
    return gpus;
}

std::optional<QStringList> xidsOf(const Snapshot &snapshot)
{
    if (snapshot.depth != Depth::Deep)
        return std::nullopt;
    QStringList xids;
    for (const Problem &problem : snapshot.problems) {
        if (problem.code == u"section.kernel_log")
            return std::nullopt;
        if (problem.code == u"gpu.xid" || problem.code == u"gpu.sxid")
            xids += problem.text;
    }
    return xids;
}

} // namespace pilothouse

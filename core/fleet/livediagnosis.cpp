// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/livediagnosis.h"

#include "core/fleet/servicediscovery.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t mostWaiting = 16; ///< light ones that came meanwhile; beyond that the middle is forgotten

/// Who is there and how, as light snapshots tell it: when it differs, verdicts may.
QStringList pictureOf(const Snapshot &snapshot)
{
    QStringList picture{snapshot.bootId};
    for (const Process &process : snapshot.processes.value_or(QList<Process>())) {
        const bool dying = process.exiting || process.state == u'Z';
        picture += u"%1.%2 %3 %4"_s.arg(process.pid.value).arg(process.startTicks.valueOr(0))
                       .arg(process.gpuMemory.size()).arg(dying);
    }
    for (const Unit &unit : snapshot.units.value_or(QList<Unit>()))
        picture += unit.name + u' ' + unit.active;
    std::ranges::sort(picture);
    return picture;
}

bool anybodyHolds(const Snapshot &snapshot)
{
    const QList<Process> processes = snapshot.processes.value_or(QList<Process>());
    return std::ranges::any_of(processes, [](const Process &process) { return !process.gpuMemory.isEmpty(); });
}

QStringList listenersOf(const Snapshot &snapshot, const QList<std::pair<QString, quint16>> &ports)
{
    QStringList listeners;
    for (const ListeningPort &port : snapshot.listening.value_or(QList<ListeningPort>())) {
        if (std::ranges::any_of(ports, [&](const auto &asked) { return asked.second == port.port; }))
            listeners += u"%1 %2"_s.arg(port.port).arg(port.pid.valueOr(-1));
    }
    return listeners;
}

} // namespace

LiveDiagnosis::LiveDiagnosis(HostLink &link, Times times, QObject *parent)
    : QObject(parent)
    , m_link(link)
    , m_times(times)
    , m_thoughts([this](const Work &work) {
        m_thinking = false;
        worked(work);
    })
    , m_judgements([this](const FindingsPtr &findings) { publish(findings); })
{
    m_due.setSingleShot(true);
    connect(&m_due, &QTimer::timeout, this, &LiveDiagnosis::look);
    connect(&link, &HostLink::snapshotArrived, this, &LiveDiagnosis::take);
    connect(&link, &HostLink::acted, this, &LiveDiagnosis::acted);
    connect(&link, &HostLink::stateChanged, this, [this](const LinkState &state) {
        if (state.phase == LinkState::Phase::Connected)
            return;
        m_due.stop();
        m_asking.reset(); // its answer may never come
    });
}

void LiveDiagnosis::setInView(bool inView)
{
    m_inView = inView;
    schedule();
}

void LiveDiagnosis::setQuiet(bool quiet)
{
    m_quiet = quiet;
    if (!quiet)
        look();
}

HostSpec LiveDiagnosis::host() const
{
    HostSpec host = m_link.spec();
    host.services += m_found;
    return host;
}

void LiveDiagnosis::look()
{
    m_changed = false;
    m_lastLook.start();
    m_answersAge.invalidate();
    m_link.requestSnapshot(Depth::Deep);
}

void LiveDiagnosis::take(const SnapshotPtr &snapshot)
{
    notePicture(*snapshot);
    m_waiting.push_back(snapshot);
    if (m_waiting.size() > mostWaiting)
        m_waiting.erase(m_waiting.begin() + mostWaiting / 2);
    next();
    schedule();
}

void LiveDiagnosis::notePicture(const Snapshot &snapshot)
{
    m_held = anybodyHolds(snapshot);
    if (snapshot.depth == Depth::Deep) { // it lists more than a light one, so it compares with none
        m_lastLook.start();
        m_changed = false;
        return;
    }
    if (QStringList picture = pictureOf(snapshot); picture != m_picture) {
        const bool first = std::exchange(m_picture, std::move(picture)).isEmpty();
        m_changed = m_held || m_latest || !first; // a host on which nobody ever was needs no look
    }
}

void LiveDiagnosis::next()
{
    if (m_thinking || m_waiting.empty())
        return;
    if (m_link.spec() != m_spec) { // the link asks for its own units alone again
        m_spec = m_link.spec();
        m_found.clear();
    }
    Work work;
    work.snapshot = m_waiting.front();
    m_waiting.pop_front();
    work.host = m_spec;
    work.host.services += m_found;
    work.before = m_lineage;
    work.endedAt = m_endedAt;
    m_thinking = true;
    m_thoughts.run([work = std::move(work)] { return rememberAndLook(work); });
}

LiveDiagnosis::Work LiveDiagnosis::rememberAndLook(Work work)
{
    const Snapshot &snapshot = *work.snapshot;
    work.after = remember(work.before, snapshot);
    if (snapshot.depth == Depth::Deep) {
        work.found = discoverServices(snapshot, work.host.services);
        work.ports = portsToAsk(snapshot, diagnose(work.host, snapshot, work.before));
    }
    return work;
}

FindingsPtr LiveDiagnosis::judged(const Work &work)
{
    auto findings = std::make_shared<Findings>();
    findings->snapshot = work.snapshot;
    findings->diagnosis = diagnose(work.host, *work.snapshot, work.before, work.answers, work.endedAt);
    if (auto plan = makePlan(*work.snapshot, findings->diagnosis, {}))
        findings->plan = *std::move(plan);
    return findings;
}

void LiveDiagnosis::worked(const Work &work)
{
    m_lineage = work.after;
    if (work.snapshot->depth == Depth::Deep && !m_quiet) {
        if (m_asking)
            m_changed = true; // it comes too early: once more
        else
            askPorts(work);
    }
    if (!work.found.isEmpty()) { // whether their units run decides what their processes are
        m_found += work.found;
        m_link.watchToo(m_found);
        m_changed = true;
    }
    next();
    schedule();
}

void LiveDiagnosis::askPorts(const Work &work)
{
    const QStringList listeners = listenersOf(*work.snapshot, work.ports);
    if (work.ports.isEmpty()) {
        judge(work);
        return;
    }
    if (m_answersAge.isValid() && m_answersAge.elapsed() < m_times.answersKept.count() && listeners == m_answersOf) {
        Work known = work;
        known.answers = m_answers;
        judge(known);
        return;
    }
    ActionRequest request;
    request.kind = ActionRequest::Kind::AskPorts;
    request.ports = work.ports;
    m_asking = work;
    m_question = m_link.act(request, {});
}

void LiveDiagnosis::acted(quint64 id, const ActionResult &result)
{
    if (!m_asking || id != m_question)
        return;
    Work work = *std::exchange(m_asking, std::nullopt);
    if (result.answer) {
        work.answers = answersOf(result.answer->ports);
        m_answers = work.answers;
        m_answersOf = listenersOf(*work.snapshot, work.ports);
        m_answersAge.start();
    }
    judge(work);
}

void LiveDiagnosis::judge(const Work &work)
{
    m_judgements.run([work] { return judged(work); });
}

void LiveDiagnosis::publish(const FindingsPtr &findings)
{
    m_latest = findings;
    schedule();
    emit diagnosed(findings);
}

bool LiveDiagnosis::isUnsettled() const
{
    return m_latest && std::ranges::any_of(m_latest->diagnosis.families, [](const Family &family) {
        return family.verdict == Verdict::Starting || family.verdict == Verdict::Unknown
            || family.verdict == Verdict::Exiting;
    });
}

void LiveDiagnosis::schedule()
{
    const bool wanted = m_changed || m_held || (m_latest && !m_latest->diagnosis.families.isEmpty());
    if (!wanted || m_quiet || m_link.state().phase != LinkState::Phase::Connected) {
        m_due.stop();
        return;
    }
    const auto interval = m_changed ? (m_inView ? m_times.changed : m_times.changedInBackground)
        : isUnsettled()             ? (m_inView ? m_times.unsettled : m_times.unsettledInBackground)
                                    : (m_inView ? m_times.inView : m_times.background);
    const qint64 since = m_lastLook.isValid() ? m_lastLook.elapsed() : interval.count();
    m_due.start(std::chrono::milliseconds(std::max<qint64>(0, interval.count() - since)));
}

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/workflow/startwatch.h"

#include "core/workflow/evidence.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;
using std::chrono::milliseconds;
using EventState = WorkflowEvent::State;

namespace {

ServiceWish wishOf(const RestartOptions &options)
{
    return {options.unit, options.userUnit, options.health, options.model};
}

std::optional<EventState> eventOf(ServingStep::State state)
{
    switch (state) {
    case ServingStep::State::Running:
        return EventState::Started;
    case ServingStep::State::Done:
        return EventState::Done;
    case ServingStep::State::Unproved:
        return EventState::Skipped;
    case ServingStep::State::Failed:
        return EventState::Failed;
    case ServingStep::State::Pending:
        break;
    }
    return std::nullopt;
}

QString titleOf(ServingStep::Name name)
{
    static constexpr const char16_t *titles[] = {u"Unit", u"New processes", u"Port", u"Health", u"Model", u"One token", u"Memory", u"Xid", u"Restarts"};
    return QString::fromUtf16(titles[int(name)]);
}

} // namespace

ServingSetup StartWatch::setupFor(const RestartPlan &plan, const UnitOutcome &before, const std::optional<ServiceRecord> &record,
                                  const StartLimits &limits)
{
    ServingSetup setup;
    setup.wish = wishOf(plan.options);
    setup.invocationBefore = before.invocation;
    setup.processesBefore = QSet<ProcessIdentity>(plan.ownProcesses.cbegin(), plan.ownProcesses.cend());
    setup.xidsBefore = plan.xids;
    setup.limits = limits.serving;
    // Only what the inventory says it uses: what it used last time may be another set by now.
    for (const int gpu : plan.options.gpusAreWritten ? plan.options.gpus : QList<int>()) {
        const auto level = std::ranges::find(plan.levels, gpu, &ServingGpu::index);
        if (level != plan.levels.cend()) {
            setup.gpus += *level;
            continue;
        }
        ServingGpu one{gpu, plan.uuids.value(gpu), Quantity<qint64>::unknown(UnknownReason::Absent)};
        if (record && record->usedMib.contains(one.uuid))
            one.servingMib = record->usedMib.value(one.uuid);
        setup.gpus += one;
    }
    return setup;
}

StartWatch::StartWatch(const RestartPlan &plan, const UnitOutcome &before, const std::optional<ServiceRecord> &record, StartLimits limits)
    : m_plan(plan)
    , m_before(record)
    , m_limits(limits)
    , m_unit(UnitWatch::Verb::Start, before, limits.serving.active)
    , m_load(plan.gpus, record ? record->allUsedMib() : std::nullopt, record ? record->usualLoad() : std::nullopt)
    , m_proof(setupFor(plan, before, record, limits))
{
}

void StartWatch::begin(qint64 nowMs)
{
    m_start = m_logAt = m_toldAt = nowMs;
    m_load.begin(nowMs);
    m_proof.begin(nowMs);
}

QString StartWatch::introduction() const
{
    const auto usual = m_before ? m_before->usualLoad() : std::nullopt;
    return usual ? u"Follows the load, which usually takes %1, and proves that it serves."_s.arg(spanInWords(*usual))
                 : u"Follows the load and proves that it serves."_s;
}

void StartWatch::fail(const QString &words, ErrorCode code)
{
    if (m_failure.isEmpty()) {
        m_failure = words;
        m_code = code;
    }
}

StartWatch::Need StartWatch::next(qint64 nowMs)
{
    if (m_failure.isEmpty() && !m_proof.isUp() && m_load.sinceProgressMs(nowMs) > m_limits.noProgress.count())
        m_proof.giveUp(u"No progress for %1: memory, processor time and log stand still."_s.arg(spanInWords(m_limits.noProgress)), nowMs);
    if (!m_failure.isEmpty())
        return {Need::Kind::Failed, {}, {}};
    if (!m_proof.isUp() && !m_invocation.isEmpty() && nowMs - m_logAt >= m_limits.logPace.count()) {
        m_logAt = nowMs;
        return {Need::Kind::Log, {}, {}};
    }
    const ServingNeed need = m_proof.next(nowMs);
    switch (need.kind) {
    case ServingNeed::Kind::Unit:
        return {Need::Kind::Unit, {}, {}};
    case ServingNeed::Kind::Snapshot:
        return {Need::Kind::Snapshot, {}, {}};
    case ServingNeed::Kind::Http:
        return {Need::Kind::Http, need.request, {}};
    case ServingNeed::Kind::Wait:
        return {Need::Kind::Wait, {}, need.wait};
    case ServingNeed::Kind::Over:
        break;
    }
    using Verdict = ServingProof::Verdict;
    if (m_proof.verdict() == Verdict::NotServing || m_proof.verdict() == Verdict::EngineGone) {
        // That the unit goes down is seen before systemd says why: a few looks more, for the true words.
        using Name = ServingStep::Name;
        const bool byUnit = m_proof.step(Name::Unit).state == ServingStep::State::Failed
            || m_proof.step(Name::Restarts).state == ServingStep::State::Failed;
        m_overAt = m_overAt ? m_overAt : std::optional(nowMs);
        if (byUnit && nowMs - *m_overAt < m_limits.lastWords.count()) {
            if (nowMs - m_unitAt < m_limits.serving.pace.count())
                return {Need::Kind::Wait, {}, m_limits.serving.pace};
            return {Need::Kind::Unit, {}, {}};
        }
        fail(m_proof.words(), ErrorCode::DriverFault);
        return {Need::Kind::Failed, {}, {}};
    }
    return {Need::Kind::Proved, {}, {}};
}

void StartWatch::takeUnit(const UnitOutcome &unit, qint64 nowMs)
{
    if (m_unit.take(unit, nowMs) == UnitWatch::State::Failed)
        fail(m_unit.words(), m_unit.code());
    m_unitWords = m_unit.words();
    m_unitAt = nowMs;
    m_invocation = unit.invocation;
    m_proof.takeUnit({unit.active, unit.sub, unit.result, unit.invocation, unit.restarts}, nowMs);
}

void StartWatch::takeSnapshot(const Snapshot &snapshot, qint64 nowMs)
{
    m_snapshot = std::make_shared<const Snapshot>(snapshot);
    QSet<qint64> pids;
    for (const Process &process : membersOf(snapshot, m_plan.options.unit, m_plan.options.userUnit))
        pids.insert(process.pid.value);
    m_load.take(snapshot, pids, nowMs);
    m_proof.takeSnapshot(snapshot, nowMs);
    if (m_proof.isUp() && !m_upAt)
        m_upAt = nowMs;
}

void StartWatch::takeHttp(const HttpAnswer &answer, qint64 nowMs)
{
    m_proof.takeAnswer(answer, nowMs);
    if (m_proof.isUp() && !m_upAt)
        m_upAt = nowMs;
}

void StartWatch::takeLog(const QList<JournalLine> &lines, qint64 nowMs)
{
    QStringList texts;
    for (const JournalLine &line : lines)
        texts += line.text;
    // Only what came since: the last line that was there before marks the place.
    const qsizetype known = m_logSeen.isEmpty() ? -1 : texts.lastIndexOf(m_logSeen.last());
    m_load.takeLog(texts.mid(known + 1), nowMs);
    m_logSeen = texts.mid(std::max<qsizetype>(0, texts.size() - 1));
}

void StartWatch::miss(qint64 nowMs)
{
    m_proof.miss(nowMs);
}

QList<WorkflowEvent> StartWatch::takeEvents(qint64 nowMs)
{
    QList<WorkflowEvent> events;
    const auto now = QDateTime::currentDateTimeUtc();
    for (qsizetype at = 0; at < m_proof.steps().size(); ++at) {
        const ServingStep &step = m_proof.steps().at(at);
        const bool isNew = at >= m_told.size() || m_told.at(at).state != step.state;
        const auto state = eventOf(step.state);
        if (!isNew || !state)
            continue;
        QJsonObject data = step.data;
        if (step.state != ServingStep::State::Running)
            data.insert(u"elapsed_ms"_s, step.tookMs);
        events += WorkflowEvent{now, u"serve."_s + nameOf(step.name), *state, titleOf(step.name) + u": "_s + step.words, data};
    }
    m_told = m_proof.steps();
    if (!m_failure.isEmpty() || m_proof.isUp() || nowMs - m_toldAt < m_limits.tellPace.count())
        return events;
    m_toldAt = nowMs;
    const QString unit = m_unitWords.isEmpty() ? QString() : m_unitWords + u' ';
    const QString words = unit + u"Load: %1."_s.arg(m_load.words(nowMs));
    if (words != std::exchange(m_lastProgress, words))
        events += WorkflowEvent{now, u"serve"_s, EventState::Progress, words, {}};
    if (!m_lateTold && m_load.isLate(nowMs, m_limits.slowLoad)) {
        m_lateTold = true;
        events += WorkflowEvent{now, u"serve"_s, EventState::Progress, u"That takes longer than usual; it is waited for as long as it gets on."_s, {}};
    }
    return events;
}

QString StartWatch::words() const
{
    return m_failure.isEmpty() ? m_proof.words() : m_failure;
}

ServiceRecord StartWatch::record() const
{
    ServiceRecord record;
    record.host = m_plan.host;
    record.unit = m_plan.options.unit;
    record.provedAt = QDateTime::currentDateTimeUtc();
    record.unitLines = m_plan.unitLines;
    record.modelPath = m_snapshot ? modelPathOf(*m_snapshot, record.unit) : QString();
    if (m_upAt)
        record.loadMs = {*m_upAt - m_start};
    if (!m_snapshot)
        return record;
    record.driver = m_snapshot->gpuSource.driverVersion;
    record.kernel = m_snapshot->kernel;
    for (const ServingGpu &gpu : servingLevelOf(*m_snapshot, wishOf(m_plan.options))) {
        if (gpu.servingMib.isKnown() && !gpu.uuid.isEmpty())
            record.usedMib.insert(gpu.uuid, gpu.servingMib.value());
    }
    const auto members = membersOf(*m_snapshot, record.unit, m_plan.options.userUnit);
    const auto first = std::ranges::min_element(members, {}, [](const Process &one) { return one.startTicks.valueOr(0); });
    if (first != members.cend())
        record.commandLine = withoutSecrets(first->command.toUtf8());
    return record;
}

QStringList StartWatch::changes() const
{
    if (!m_before)
        return {};
    ServiceRecord now = record();
    now.usedMib.clear(); // it never got so far as to use them all
    if (now.commandLine.isEmpty())
        now.modelPath.clear();
    return whatChanged(*m_before, now);
}

} // namespace pilothouse

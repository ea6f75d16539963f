// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/reclaimjob.h"

#include "core/fleet/hostdiagnosis.h"
#include "core/workflow/evidence.h"

namespace pilothouse {

ReclaimJob::ReclaimJob(HostLink &link, Setup setup, QObject *parent)
    : QObject(parent)
    , m_link(link)
    , m_setup(std::move(setup))
    , m_kept([this](const Result<QString> &kept) { m_run->takeEvidence(kept); })
    , m_run(std::make_unique<ReclaimRun>(m_setup.plan, static_cast<ReclaimHost &>(*this), m_setup.settings))
{
    m_clock.start();
    m_wake.setSingleShot(true);
    connect(&m_wake, &QTimer::timeout, this, [this] { m_run->takeWake(); });
    connect(&link, &HostLink::acted, this, [this](quint64 number, const ActionResult &result) {
        if (number == std::exchange(m_acting, number == m_acting ? 0 : m_acting))
            m_run->takeAction(result);
    });
    connect(&link, &HostLink::snapshotArrived, this, [this](const SnapshotPtr &snapshot) {
        if (!m_wanted || snapshot->depth < *m_wanted) // a tick of the host's own
            return;
        m_wanted.reset();
        m_run->takeSnapshot(*snapshot);
    });
    connect(&link, &HostLink::snapshotFailed, this, [this](const Error &error) {
        if (std::exchange(m_wanted, std::nullopt))
            m_run->takeMiss(error);
    });
    connect(&link, &HostLink::stateChanged, this, &ReclaimJob::follow);
    connect(m_run.get(), &ReclaimRun::happened, this, &ReclaimJob::happened);
    connect(m_run.get(), &ReclaimRun::finished, this, [this](int exitCode) {
        m_wake.stop();
        emit finished(exitCode);
    });
}

ReclaimJob::~ReclaimJob() = default;

void ReclaimJob::start()
{
    m_startedAt = QDateTime::currentDateTimeUtc();
    m_run->start();
}

void ReclaimJob::killNow()
{
    m_run->killNow();
}

void ReclaimJob::cancel()
{
    m_run->cancel();
}

void ReclaimJob::follow(const LinkState &state)
{
    using Phase = LinkState::Phase;
    if (state.phase == Phase::Retrying || state.phase == Phase::Stopped)
        m_run->takeAway(state.error.value_or(Error{ErrorCode::ConnectionLost, {}, {}}), state.phase == Phase::Stopped);
}

void ReclaimJob::act(const ActionRequest &request)
{
    m_acting = m_link.act(request, m_setup.actor);
}

void ReclaimJob::look(Depth depth)
{
    m_wanted = depth;
    m_link.requestSnapshot(depth);
}

void ReclaimJob::wakeAfter(std::chrono::milliseconds time)
{
    m_wake.start(time);
}

qint64 ReclaimJob::nowMs() const
{
    return m_clock.elapsed();
}

Diagnosis ReclaimJob::diagnose(const Snapshot &snapshot)
{
    const Diagnosis diagnosis = pilothouse::diagnose(m_setup.host, snapshot, m_setup.lineage, {}, m_startedAt);
    m_setup.lineage = remember(m_setup.lineage, snapshot);
    return diagnosis;
}

void ReclaimJob::keepEvidence(const QByteArray &text)
{
    m_kept.run([text, actor = m_setup.actor] {
        return pilothouse::keepEvidence(actor.auditFolder, actor.host, QDateTime::currentDateTimeUtc(), text);
    });
}

} // namespace pilothouse

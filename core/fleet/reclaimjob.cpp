// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/reclaimjob.h"

#include "core/fleet/hostdiagnosis.h"
#include "core/workflow/evidence.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

ReclaimJob::ReclaimJob(HostLink &link, Setup setup, QObject *parent)
    : QObject(parent)
    , m_link(link)
    , m_setup(std::move(setup))
    , m_kept([this](const Result<QString> &kept) { m_run->takeEvidence(kept); })
    , m_begun([this](const Result<std::shared_ptr<Journal>> &journal) { begin(journal); })
    , m_closed([this](int exitCode) { emit finished(exitCode); })
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
    connect(m_run.get(), &ReclaimRun::happened, this, &ReclaimJob::tell);
    connect(m_run.get(), &ReclaimRun::finished, this, &ReclaimJob::finish);
}

ReclaimJob::~ReclaimJob() = default;

void ReclaimJob::start()
{
    m_startedAt = QDateTime::currentDateTimeUtc();
    m_begun.run([plan = m_setup.plan, actor = m_setup.actor]() -> Result<std::shared_ptr<Journal>> {
        auto journal = Journal::begin(actor.auditFolder, plan, actor);
        if (!journal)
            return fail(journal.error());
        return std::shared_ptr<Journal>(*std::move(journal));
    });
}

/// Without a journal it runs all the same: what is done to a host stands in the audit.
void ReclaimJob::begin(const Result<std::shared_ptr<Journal>> &journal)
{
    if (m_over) { // cancelled meanwhile
        if (journal)
            QThreadPool::globalInstance()->start([begun = *journal] { begun->close(); });
        return;
    }
    if (journal)
        m_journal = *journal;
    else
        emit happened({QDateTime::currentDateTimeUtc(), u"journal"_s, WorkflowEvent::State::Failed,
                       sentenceOf(journal.error()), {}});
    m_run->start();
}

void ReclaimJob::tell(const WorkflowEvent &event)
{
    if (m_journal) {
        // Written beside this thread; a full disk is the audit's to refuse.
        QThreadPool::globalInstance()->start([journal = m_journal, event] { (void)journal->note(event); });
    }
    emit happened(event);
}

void ReclaimJob::finish(int exitCode)
{
    m_wake.stop();
    m_over = true;
    m_closed.run([journal = m_journal, exitCode] {
        if (journal)
            journal->close();
        return exitCode;
    });
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

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/workflowjob.h"

#include "core/fleet/hostdiagnosis.h"
#include "core/workflow/evidence.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

WorkflowJob::WorkflowJob(HostLink &link, HostSpec host, Actor actor, Lineage lineage, QObject *parent)
    : QObject(parent)
    , m_link(link)
    , m_host(std::move(host))
    , m_actor(std::move(actor))
    , m_lineage(std::move(lineage))
    , m_kept([this](const Result<QString> &kept) { m_run->takeEvidence(kept); })
    , m_recorded([this](const Result<void> &recorded) {
        if (!recorded)
            emit happened({QDateTime::currentDateTimeUtc(), u"record"_s, WorkflowEvent::State::Failed,
                           sentenceOf(recorded.error()), {}});
    })
    , m_begun([this](const Result<std::shared_ptr<Journal>> &journal) { begin(journal); })
    , m_closed([this](int exitCode) { emit finished(exitCode); })
{
    m_clock.start();
    m_wake.setSingleShot(true);
    connect(&m_wake, &QTimer::timeout, this, [this] { m_run->takeWake(); });
    connect(&link, &HostLink::acted, this, [this](quint64 number, const ActionResult &result) {
        if (number == std::exchange(m_acting, number == m_acting ? 0 : m_acting))
            m_run->takeAction(result);
    });
    connect(&link, &HostLink::answered, this, [this](quint64 number, const HttpAnswer &answer) {
        if (number == std::exchange(m_asking, number == m_asking ? 0 : m_asking))
            m_run->takeHttp(answer);
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
    connect(&link, &HostLink::stateChanged, this, &WorkflowJob::follow);
}

WorkflowJob::~WorkflowJob() = default;

void WorkflowJob::setRun(std::unique_ptr<WorkflowRun> run)
{
    m_run = std::move(run);
    connect(m_run.get(), &WorkflowRun::happened, this, &WorkflowJob::tell);
    connect(m_run.get(), &WorkflowRun::finished, this, &WorkflowJob::finish);
}

void WorkflowJob::start()
{
    m_startedAt = QDateTime::currentDateTimeUtc();
    m_begun.run([begin = journalBegin()]() -> Result<std::shared_ptr<Journal>> {
        auto journal = begin();
        if (!journal)
            return fail(journal.error());
        return std::shared_ptr<Journal>(*std::move(journal));
    });
}

/// Without a journal it runs all the same: what is done to a host stands in the audit.
void WorkflowJob::begin(const Result<std::shared_ptr<Journal>> &journal)
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

void WorkflowJob::tell(const WorkflowEvent &event)
{
    if (m_journal) {
        // Written beside this thread; a full disk is the audit's to refuse.
        QThreadPool::globalInstance()->start([journal = m_journal, event] { (void)journal->note(event); });
    }
    emit happened(event);
}

void WorkflowJob::finish(int exitCode)
{
    m_wake.stop();
    m_over = true;
    m_closed.run([journal = m_journal, exitCode] {
        if (journal)
            journal->close();
        return exitCode;
    });
}

void WorkflowJob::follow(const LinkState &state)
{
    using Phase = LinkState::Phase;
    if (state.phase == Phase::Retrying || state.phase == Phase::Stopped)
        m_run->takeAway(state.error.value_or(Error{ErrorCode::ConnectionLost, {}, {}}), state.phase == Phase::Stopped);
}

void WorkflowJob::act(const ActionRequest &request)
{
    m_acting = m_link.act(request, m_actor);
}

void WorkflowJob::ask(const HttpRequest &request)
{
    m_asking = m_link.ask(request);
}

void WorkflowJob::look(Depth depth)
{
    m_wanted = depth;
    m_link.requestSnapshot(depth);
}

void WorkflowJob::wakeAfter(std::chrono::milliseconds time)
{
    m_wake.start(time);
}

qint64 WorkflowJob::nowMs() const
{
    return m_clock.elapsed();
}

Diagnosis WorkflowJob::diagnose(const Snapshot &snapshot)
{
    const Diagnosis diagnosis = pilothouse::diagnose(m_host, snapshot, m_lineage, {}, m_startedAt);
    m_lineage = remember(m_lineage, snapshot);
    return diagnosis;
}

void WorkflowJob::keepEvidence(const QByteArray &text)
{
    m_kept.run([text, actor = m_actor] {
        return pilothouse::keepEvidence(actor.auditFolder, actor.host, QDateTime::currentDateTimeUtc(), text);
    });
}

void WorkflowJob::keepRecord(const ServiceRecord &record)
{
    m_recorded.run([record, folder = m_actor.auditFolder] { return pilothouse::keepRecord(folder, record); });
}

} // namespace pilothouse

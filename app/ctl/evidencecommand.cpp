// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/evidencecommand.h"

#include "app/ctl/holderstext.h"
#include "app/ctl/interrupts.h"
#include "app/ctl/snapshottext.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

/// The same words as in the terminal, for a person who was not there.
QString ticketOf(const Snapshot &snapshot, const Diagnosis &diagnosis)
{
    const Output plain(ColorMode::Never);
    QString text = u"%1, looked at %2\n\n"_s.arg(snapshot.host, snapshot.takenAt.toUTC().toString(Qt::ISODate))
        + holdersText(snapshot, diagnosis, false, plain) + u'\n';
    for (const Unit &unit : snapshot.units.value_or(QList<Unit>()))
        text += u"%1: %2, %3, result %4\n"_s.arg(unit.name, unit.active, unit.sub, unit.result);
    for (const QString &line : problemLines(snapshot))
        text += line + u'\n';
    return text;
}

} // namespace

EvidenceCommand::EvidenceCommand(const CommandContext &context)
    : Command(context)
    , m_visit(context)
{
    connect(&context.interrupts, &Interrupts::interrupted, this, [this] { finish(exitCodeOf(ErrorCode::Cancelled)); });
    connect(&m_visit, &HostVisit::examined, this, &EvidenceCommand::gather);
    connect(&m_visit, &HostVisit::missed, this, &EvidenceCommand::stop);
    connect(&m_visit, &HostVisit::away, this, &EvidenceCommand::stop);
}

void EvidenceCommand::start()
{
    // Said before anybody is asked for a password.
    const QFileInfo file(options().file);
    const QFileInfo folder(file.absolutePath());
    if (file.isDir() || options().file.endsWith(u'/') || !folder.isDir() || !folder.isWritable()) {
        stop({ErrorCode::LocalIo, u"%1 cannot be written."_s.arg(options().file),
              u"-o takes the name of a file in a folder that you may write to."_s});
        return;
    }
    if (const auto begun = m_visit.begin(options().arguments.first()); !begun) {
        stop(begun.error());
        return;
    }
    connect(&m_visit.link(), &HostLink::acted, this, &EvidenceCommand::take);
    m_visit.examine();
}

void EvidenceCommand::gather(const SnapshotPtr &snapshot, const Diagnosis &diagnosis)
{
    m_incident.at = QDateTime::currentDateTimeUtc();
    m_incident.ticket = ticketOf(*snapshot, diagnosis);
    m_incident.snapshot = snapshot;
    m_incident.diagnosis = diagnosis;
    m_gathering = m_visit.link().act(evidenceRequest(*snapshot, diagnosis, options().units.value(0)), {});
}

void EvidenceCommand::take(quint64 number, const ActionResult &result)
{
    if (number != m_gathering || m_over)
        return;
    if (result.answer)
        m_incident.evidence = result.answer->evidence;
    else
        m_incident.evidenceTrouble = sentenceOf(*result.error);
    if (const auto written = exportIncident(options().file, m_incident); !written) {
        stop(written.error());
        return;
    }
    if (options().json) {
        const QJsonObject document{{u"file"_s, options().file}, {u"evidence"_s, result.answer.has_value()},
                                   {u"trouble"_s, m_incident.evidenceTrouble}};
        output().data(QString::fromUtf8(QJsonDocument(document).toJson(QJsonDocument::Compact)) + u'\n');
    } else {
        output().data(u"Written to %1: ticket.txt, snapshot.json, evidence.txt.\n"_s.arg(options().file));
    }
    if (!result.answer) {
        output().problem(u"The file has the snapshot only: "_s + m_incident.evidenceTrouble);
        finish(exitCodeOf(result.error->code));
        return;
    }
    finish(0);
}

void EvidenceCommand::stop(const Error &error)
{
    if (m_incident.snapshot && !m_over && error.code != ErrorCode::LocalIo) {
        // The connection went while the host gathered: what is known is kept.
        ActionResult none;
        none.error = error;
        take(m_gathering, none);
        return;
    }
    output().problem(sentenceOf(error));
    finish(exitCodeOf(error.code));
}

void EvidenceCommand::finish(int exitCode)
{
    if (std::exchange(m_over, true))
        return;
    m_visit.leave(); // its link ends with this command: we may be in one of its signals; m_over keeps the rest out
    emit finished(exitCode);
}

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/holderscommand.h"

#include "app/ctl/holderstext.h"
#include "app/ctl/interrupts.h"
#include "app/ctl/snapshottext.h"
#include "core/diagnosis/diagnosisjson.h"
#include "core/fleet/hostdiagnosis.h"
#include "core/host/gpusourcewords.h"
#include "core/host/snapshotjson.h"

#include <QJsonDocument>

namespace pilothouse {

HoldersCommand::HoldersCommand(const CommandContext &context)
    : Command(context)
    , m_visit(context)
{
    connect(&context.interrupts, &Interrupts::interrupted, this, [this] { finish(exitCodeOf(ErrorCode::Cancelled)); });
    connect(&m_visit, &HostVisit::examined, this,
            [this](const SnapshotPtr &snapshot, const Diagnosis &diagnosis) { show(*snapshot, diagnosis); });
    connect(&m_visit, &HostVisit::missed, this, &HoldersCommand::stop);
    connect(&m_visit, &HostVisit::away, this, &HoldersCommand::stop);
}

void HoldersCommand::start()
{
    if (const auto begun = m_visit.begin(options().arguments.first()); !begun)
        stop(begun.error());
    else
        m_visit.examine();
}

void HoldersCommand::show(const Snapshot &snapshot, Diagnosis diagnosis)
{
    if (!options().units.isEmpty()) {
        erase_if(diagnosis.families, [&](const Family &family) {
            return !concernsUnit(family, options().units.first(), m_visit.host(), snapshot);
        });
    }
    if (options().json) {
        const QJsonObject document = withDiagnosis(toJson(snapshot), diagnosis);
        output().data(QString::fromUtf8(QJsonDocument(document).toJson(QJsonDocument::Compact)) + u'\n');
    } else {
        output().data(holdersText(snapshot, diagnosis, !options().units.isEmpty(), output()));
        for (const QString &line : problemLines(snapshot))
            output().problem(line);
    }
    if (!snapshot.gpus && options().json)
        output().problem(missingGpusText(snapshot));
    finish(snapshot.gpus ? 0 : exitCodeOf(ErrorCode::ToolMissing));
}

void HoldersCommand::stop(const Error &error)
{
    output().problem(sentenceOf(error));
    finish(exitCodeOf(error.code));
}

void HoldersCommand::finish(int exitCode)
{
    if (std::exchange(m_over, true))
        return;
    m_visit.leave(); // its link ends with this command: we may be in one of its signals
    emit finished(exitCode);
}

} // namespace pilothouse

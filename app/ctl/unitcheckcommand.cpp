// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/unitcheckcommand.h"

#include "app/ctl/interrupts.h"
#include "app/ctl/output.h"
#include "core/base/cleantext.h"
#include "core/fleet/inventoryreader.h"
#include "core/units/findingtext.h"
#include "core/workflow/unitcheck.h"

#include <QJsonDocument>

namespace pilothouse {

using namespace Qt::StringLiterals;

UnitCheckCommand::UnitCheckCommand(const CommandContext &context) : Command(context), m_visit(context)
{
    connect(&context.interrupts, &Interrupts::interrupted, this, [this] { finish(exitCodeOf(ErrorCode::Cancelled)); });
    connect(&m_visit, &HostVisit::examined, this, &UnitCheckCommand::read);
    connect(&m_visit, &HostVisit::missed, this, &UnitCheckCommand::stop);
    connect(&m_visit, &HostVisit::away, this, &UnitCheckCommand::stop);
}

void UnitCheckCommand::start()
{
    const QString verb = options().arguments.value(2);
    const auto unit = fullUnitName(options().arguments.value(1));
    if (verb != u"check" || !unit) {
        stop({ErrorCode::Usage,
              unit ? u"\"%1\" is nothing that can be done with a unit."_s.arg(cleanLine(verb, 40))
                   : u"This is no name of a systemd unit."_s,
              u"unit TARGET U check"_s});
        return;
    }
    m_unit = *unit;
    if (const auto begun = m_visit.begin(options().arguments.first()); !begun) {
        stop(begun.error());
        return;
    }
    connect(&m_visit.link(), &HostLink::acted, this, [this](quint64 number, const ActionResult &result) {
        if (number == m_reading && !m_over)
            show(result);
    });
    m_visit.examine();
}

void UnitCheckCommand::read(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    m_reading = m_visit.link().act(unitReadingRequest(*snapshot, m_unit, options().userUnit), {});
}

void UnitCheckCommand::show(const ActionResult &result)
{
    if (!result.answer) {
        stop(*result.error);
        return;
    }
    const UnitReading &reading = result.answer->reading;
    if (reading.state != UnitReading::State::Read) {
        output().problem(reading.words);
        finish(reading.state == UnitReading::State::NoUnit ? 1 : exitCodeOf(ErrorCode::ToolMissing));
        return;
    }
    const QList<UnitFinding> findings = checkReading(reading, *m_snapshot, m_visit.lineage());
    if (options().json)
        output().data(QString::fromUtf8(QJsonDocument(findingsJson(findings)).toJson(QJsonDocument::Compact)) + u'\n');
    else
        output().data(findingsText(m_unit, findings));
    finish(hasErrors(findings) ? 1 : 0);
}

void UnitCheckCommand::stop(const Error &error)
{
    output().problem(sentenceOf(error));
    finish(exitCodeOf(error.code));
}

void UnitCheckCommand::finish(int exitCode)
{
    if (std::exchange(m_over, true))
        return;
    m_visit.leave(); // its link ends with this command: we may be in one of its signals
    emit finished(exitCode);
}

} // namespace pilothouse

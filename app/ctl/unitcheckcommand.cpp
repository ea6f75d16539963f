// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/unitcheckcommand.h"

#include "app/ctl/interrupts.h"
#include "app/ctl/output.h"
#include "core/actions/action.h"
#include "core/base/cleantext.h"
#include "core/fleet/inventoryreader.h"

#include <QJsonDocument>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString counted(qsizetype number, const QString &what)
{
    return QString::number(number) + u' ' + what + (number == 1 ? QString() : u"s"_s);
}

QString wayWords(UnitFinding::Way way, const QString &section)
{
    switch (way) {
    case UnitFinding::Way::Replace:
        return u"instead:"_s;
    case UnitFinding::Way::Add:
        return u"add in [%1]:"_s.arg(section);
    case UnitFinding::Way::Run:
        return u"run on the host:"_s;
    case UnitFinding::Way::None:
        break;
    }
    return {};
}

/// What a free GPU keeps in use, the most of the host's.
std::optional<int> idleOf(const Lineage &lineage)
{
    std::optional<int> most;
    for (const qint64 mib : lineage.idleMib)
        most = std::max(most.value_or(0), int(std::min<qint64>(mib, 1'000'000)));
    return most;
}

} // namespace

QString findingsText(const QString &unit, const QList<UnitFinding> &findings, const Output &output)
{
    const auto errors = std::ranges::count(findings, UnitFinding::Severity::Error, &UnitFinding::severity);
    if (findings.isEmpty())
        return unit + u": no finding\n";
    QString text =
        unit + u": " + counted(errors, u"error"_s) + u", " + counted(findings.size() - errors, u"warning"_s) + u'\n';
    for (const UnitFinding &finding : findings) {
        const bool isError = finding.severity == UnitFinding::Severity::Error;
        text += u'\n' + output.inked(isError ? u"error"_s : u"warning"_s, isError ? Ink::Bad : Ink::Warning);
        text += u"  " + finding.rule;
        if (!finding.file.isEmpty())
            text += u"  " + finding.file + (finding.line > 0 ? u':' + QString::number(finding.line) : QString());
        text += u"\n  " + finding.text + u'\n';
        if (finding.way != UnitFinding::Way::None)
            text += u"  " + wayWords(finding.way, finding.section) + u"\n    " + finding.suggestion + u'\n';
    }
    return text;
}

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

void UnitCheckCommand::read(const SnapshotPtr &snapshot, const Diagnosis &)
{
    for (const Process &process : snapshot->processes.value_or(QList<Process>()))
        m_usesGpu = m_usesGpu || (process.owner.name == m_unit && !process.gpuMemory.isEmpty());
    ActionRequest request;
    request.kind = ActionRequest::Kind::CatUnit;
    request.unit = m_unit;
    request.userUnit = options().userUnit;
    request.asRoot = snapshot->system.root && !request.userUnit; // root's own manager is another one
    m_reading = m_visit.link().act(request, {});
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
    UnitFacts facts = reading.facts;
    facts.usesGpu = m_usesGpu;
    facts.idleMib = idleOf(m_visit.lineage());
    const QList<UnitFinding> findings = checkUnit(reading.text, facts);
    if (options().json)
        output().data(QString::fromUtf8(QJsonDocument(findingsJson(findings)).toJson(QJsonDocument::Compact)) + u'\n');
    else
        output().data(findingsText(m_unit, findings, output()));
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

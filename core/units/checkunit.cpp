// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/checkunit.h"

#include "core/base/cleantext.h"
#include "core/units/rulecontext.h"

#include <QJsonArray>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostFindings = 100;
constexpr qsizetype longestValue = 65'536; // what systemd takes is a mebibyte; nobody writes that

/// The rules on one line; all that they would change makes one suggestion.
QList<UnitFinding> checkLine(const RuleContext &context, const ExecEntry &entry, std::initializer_list<ExecRule> rules)
{
    QList<UnitFinding> found;
    if (entry.line.value.size() > longestValue)
        return found;
    Correction correction(entry.line);
    for (const ExecRule rule : rules)
        found += rule(context, entry, correction);
    const QString suggestion = correction.text();
    for (UnitFinding &finding : found) {
        finding.suggestion = suggestion;
        finding.way = suggestion.isEmpty() ? UnitFinding::Way::None : UnitFinding::Way::Replace;
    }
    return found;
}

const char *nameOf(UnitFinding::Way way)
{
    switch (way) {
    case UnitFinding::Way::Replace:
        return "replace";
    case UnitFinding::Way::Add:
        return "add";
    case UnitFinding::Way::Run:
        return "run";
    case UnitFinding::Way::None:
        break;
    }
    return nullptr;
}

} // namespace

QList<UnitFinding> checkUnit(const UnitText &text, const UnitFacts &facts)
{
    const RuleContext context = contextOf(text, facts);
    QList<UnitFinding> found = checkSettings(context) + checkDevices(context) + checkWaits(context);
    for (const ExecEntry &entry : context.entries)
        found +=
            checkLine(context, entry, {checkShell, checkPatternKills, checkThreshold, checkVariables, checkSpecifiers});
    for (const UnitLine &line : text.listOf(u"Service", u"Environment"))
        found += checkLine(context, ExecEntry{line, {}}, {checkSpecifiers});

    QStringList files;
    for (const QString &file : text.files)
        files += cleanLine(file, 1024);
    std::ranges::stable_sort(found, [&](const UnitFinding &a, const UnitFinding &b) {
        return std::pair(files.indexOf(a.file), a.line) < std::pair(files.indexOf(b.file), b.line);
    });
    for (UnitFinding &finding : found) {
        finding.text = cleanLine(finding.text, 1000);
        if (cleanLine(finding.suggestion, 8192) != finding.suggestion) {
            finding.suggestion.clear();
            finding.way = UnitFinding::Way::None;
        }
    }
    return found.mid(0, mostFindings);
}

bool hasErrors(const QList<UnitFinding> &findings)
{
    return std::ranges::any_of(
        findings, [](const UnitFinding &finding) { return finding.severity == UnitFinding::Severity::Error; });
}

QJsonObject findingsJson(const QList<UnitFinding> &findings)
{
    QJsonArray rows;
    for (const UnitFinding &finding : findings) {
        const char *way = nameOf(finding.way);
        rows += QJsonObject{
            {u"rule"_s, finding.rule},
            {u"severity"_s, finding.severity == UnitFinding::Severity::Error ? u"error"_s : u"warning"_s},
            {u"file"_s, finding.file.isEmpty() ? QJsonValue() : QJsonValue(finding.file)},
            {u"line"_s, finding.line > 0 ? QJsonValue(finding.line) : QJsonValue()},
            {u"text"_s, finding.text},
            {u"suggestion"_s, finding.suggestion.isEmpty() ? QJsonValue() : QJsonValue(finding.suggestion)},
            {u"suggestion_way"_s, way ? QJsonValue(QString::fromLatin1(way)) : QJsonValue()},
        };
    }
    return {{u"findings"_s, rows}};
}

} // namespace pilothouse

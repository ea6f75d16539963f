// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/findingtext.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString counted(qsizetype number, const QString &what)
{
    return QString::number(number) + u' ' + what + (number == 1 ? QString() : u"s"_s);
}

} // namespace

QString headlineOf(const QString &unit, const QList<UnitFinding> &findings)
{
    const qsizetype errors = std::ranges::count(findings, UnitFinding::Severity::Error, &UnitFinding::severity);
    const qsizetype warnings = findings.size() - errors;
    QStringList parts;
    if (errors > 0)
        parts += counted(errors, u"error"_s);
    if (warnings > 0)
        parts += counted(warnings, u"warning"_s);
    return unit + u": " + (parts.isEmpty() ? u"no finding"_s : parts.join(u", "));
}

QString placeOf(const UnitFinding &finding)
{
    if (finding.file.isEmpty() || finding.line <= 0)
        return finding.file;
    return finding.file + u':' + QString::number(finding.line);
}

QString wordsOf(const UnitFinding &finding)
{
    switch (finding.way) {
    case UnitFinding::Way::Replace:
        return u"Instead:"_s;
    case UnitFinding::Way::Add:
        return u"Add in [%1]:"_s.arg(finding.section);
    case UnitFinding::Way::Run:
        return u"Run on the host:"_s;
    case UnitFinding::Way::None:
        break;
    }
    return {};
}

QString findingsText(const QString &unit, const QList<UnitFinding> &findings)
{
    QString text = headlineOf(unit, findings) + u'\n';
    for (const UnitFinding &finding : findings) {
        const bool isError = finding.severity == UnitFinding::Severity::Error;
        text += (isError ? u"\nerror    "_s : u"\nwarning  "_s) + finding.rule + u"  " + placeOf(finding) + u"\n  "
                + finding.text + u'\n';
        if (!finding.suggestion.isEmpty())
            text += u"  " + wordsOf(finding) + u"\n    " + finding.suggestion + u'\n';
    }
    return text;
}

} // namespace pilothouse

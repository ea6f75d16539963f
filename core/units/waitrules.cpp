// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// Waits of the unit's own commands against systemd's patience.
#include "core/units/rulecontext.h"
#include "core/units/shelltext.h"

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Severity = UnitFinding::Severity;
using std::chrono::microseconds;
using std::chrono::seconds;

/// How long a command waits at most; no value: nothing says that it waits.
std::optional<ShellWait> waitOfCommand(const ExecCommand &command)
{
    std::optional<ShellWait> wait;
    const qsizetype script = shellTextOf(command);
    if (script >= 0)
        wait = waitOf(command.words.at(script).text);
    else if (command.words.first().baseName() == u"sleep")
        wait = ShellWait{parseTimeSpan(command.words.value(1).text).value_or(seconds(0)), false};
    // `timeout` bounds what stands behind it.
    const auto bound =
        std::ranges::find_if(command.words, [](const ExecWord &word) { return word.baseName() == u"timeout"; });
    if (bound == command.words.end())
        return wait;
    for (auto word = bound + 1; word != command.words.end(); ++word) {
        const auto limit = parseTimeSpan(word->text);
        if (limit && !word->text.startsWith(u'-'))
            return ShellWait{std::min(*limit, wait ? wait->limit : *limit), wait && wait->isLoop};
    }
    return wait;
}

/// Round figures for people: whole minutes beyond two.
microseconds roundedUp(microseconds span)
{
    const qint64 whole = (span.count() + 999'999) / 1'000'000;
    return seconds(whole <= 120 ? (whole + 9) / 10 * 10 : (whole + 59) / 60 * 60);
}

void suggest(UnitFinding &finding, const RuleContext &context, const QStringList &keys, microseconds span)
{
    const UnitLine *line = context.text.last(u"Service", keys);
    finding.suggestion = keys.first() + u'=' + timeSpanText(roundedUp(span));
    finding.way = UnitFinding::Way::Add;
    if (line && line->key == keys.first()) { // it stands there, and another figure does
        finding.way = UnitFinding::Way::Replace;
        finding.file = findingAt(*line, {}, finding.severity, {}).file;
        finding.line = line->line;
        finding.lastLine = line->lastLine;
    }
}

void checkStart(const RuleContext &context, const ExecEntry &entry, const ExecCommand &command,
                QList<UnitFinding> &found)
{
    static const QStringList keys{u"TimeoutStartSec"_s, u"TimeoutSec"_s};
    const auto wait = waitOfCommand(command);
    if (!wait)
        return;
    const microseconds patience = context.timeoutStart;
    UnitFinding finding;
    if (wait->limit == endlessTime && patience == endlessTime) {
        finding = findingAt(entry.line, u"start.timeout"_s, Severity::Warning,
                            u"Its loop has no end of its own, and TimeoutStartSec=infinity gives it none: what it "
                            "waits for may never come, and the unit stays in \"activating\"."_s);
        suggest(finding, context, keys, seconds(600));
    } else if (wait->limit == endlessTime && patience < seconds(600)) {
        finding = findingAt(entry.line, u"start.timeout"_s, Severity::Warning,
                            u"Its loop has no end of its own: after %1 (TimeoutStartSec) systemd ends it, the unit "
                            "fails, and nothing says what it waited for."_s.arg(timeSpanText(patience)));
        suggest(finding, context, keys, seconds(600));
    } else if (wait->limit != endlessTime && wait->limit > patience) {
        finding = findingAt(entry.line, u"start.timeout"_s, Severity::Error,
                            u"It may wait for %1, but systemd ends it after %2 (TimeoutStartSec) and fails the "
                            "unit."_s.arg(timeSpanText(wait->limit), timeSpanText(patience)));
        suggest(finding, context, keys, wait->limit + std::max<microseconds>(seconds(2), wait->limit / 4));
    } else {
        return;
    }
    found += finding;
}

/// The longest that the server is told to take for its end.
std::optional<seconds> toldGrace(const ExecCommand &command)
{
    static const QStringList options{u"--shutdown-timeout"_s, u"--timeout-graceful-shutdown"_s,
                                     u"--graceful-timeout"_s};
    std::optional<seconds> most;
    for (qsizetype i = 0; i < command.words.size(); ++i) {
        const QString &word = command.words.at(i).text;
        if (!options.contains(word.section(u'=', 0, 0)))
            continue;
        bool isNumber = false;
        const QString figure = word.contains(u'=') ? word.section(u'=', 1) : command.words.value(i + 1).text;
        if (const int told = figure.toInt(&isNumber); isNumber && told >= 0)
            most = std::max(most.value_or(seconds(0)), seconds(told));
    }
    return most;
}

void checkStop(const RuleContext &context, const ExecEntry &entry, const ExecCommand &command,
               QList<UnitFinding> &found)
{
    static const QStringList keys{u"TimeoutStopSec"_s, u"TimeoutSec"_s};
    const microseconds patience = context.timeoutStop;
    if (entry.line.key == u"ExecStop" || entry.line.key == u"ExecStopPost") {
        const auto wait = waitOfCommand(command);
        if (!wait || wait->limit == endlessTime || wait->limit <= patience)
            return;
        found += findingAt(entry.line, u"stop.timeout"_s, Severity::Error,
                           u"It may wait for %1, but systemd ends it after %2 (TimeoutStopSec)."_s.arg(
                               timeSpanText(wait->limit), timeSpanText(patience)));
        suggest(found.last(), context, keys, wait->limit + std::max<microseconds>(seconds(2), wait->limit / 4));
        return;
    }
    const std::optional<seconds> told = toldGrace(command);
    const seconds needed = told ? *told + seconds(15) : context.server.grace;
    if (entry.line.key != u"ExecStart" || context.server.name.isEmpty() || patience >= needed)
        return;
    found += findingAt(entry.line, u"stop.timeout"_s, Severity::Warning,
                       told ? u"%1 may take %2 to drain, but systemd kills it %3 after SIGTERM (TimeoutStopSec), amid "
                              "its work."_s.arg(context.server.name, timeSpanText(*told), timeSpanText(patience))
                            : u"%1 needs time to end its workers, but systemd kills it %2 after SIGTERM "
                              "(TimeoutStopSec)."_s.arg(context.server.name, timeSpanText(patience)));
    suggest(found.last(), context, keys, told ? needed : seconds(60));
}

} // namespace

QList<UnitFinding> checkWaits(const RuleContext &context)
{
    QList<UnitFinding> found;
    for (const ExecEntry &entry : context.entries) {
        for (const ExecCommand &command : entry.exec.commands) {
            if (entry.line.key == u"ExecStartPre" || entry.line.key == u"ExecCondition"
                || entry.line.key == u"ExecStartPost")
                checkStart(context, entry, command, found);
            checkStop(context, entry, command, found);
        }
    }
    return found;
}

} // namespace pilothouse

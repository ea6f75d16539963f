// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands of a unit do to a GPU host: kills by pattern, and waits for memory that never is so little.
#include "core/units/rulecontext.h"
#include "core/units/shelltext.h"

#include <QRegularExpression>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Severity = UnitFinding::Severity;

bool killsByPattern(const QString &program, const QStringList &arguments)
{
    if (program == u"killall" || program == u"killall5")
        return true;
    // Children of a process, or of a session, are no pattern.
    const bool narrow = std::ranges::any_of(arguments, [](const QString &argument) {
        return argument.startsWith(u"-P") || argument.startsWith(u"--parent") || argument.startsWith(u"-s");
    });
    return program == u"pkill" && !narrow;
}

QStringList textsOf(const QList<ShellWord> &words, qsizetype from)
{
    QStringList texts;
    for (const ShellWord &word : words.mid(from))
        texts += word.text;
    return texts;
}

UnitFinding patternKill(const UnitLine &line, const QString &program)
{
    return findingAt(
        line, u"exec.pattern_kill"_s, Severity::Error,
        u"%1 ends whatever on the host matches its pattern, strangers' processes too, and misses engine workers, which "
        "rename themselves (VLLM::Worker_TP0). systemd ends what belongs to the unit by itself."_s.arg(program));
}

/// A comparison in a script with a figure of MiB.
struct Comparison
{
    qsizetype begin = 0; // of the figure
    qsizetype end = 0;
    int mib = 0;
    bool strict = false; // "less than": the figure itself is too much
};

QList<Comparison> comparisonsIn(const QString &script)
{
    static const QRegularExpression pattern(u"(?:([A-Za-z_]\\w*|\\$+\\d+|\\))\\}?[\"']?\\s*(-lt|-le|-gt|-ge|[<>]=?)\\s*"
                                            u"[\"']?|--(?:below|threshold|max-used)[= ])(\\d{1,6})(?![\\w.])"_s);
    const QStringList counters = countersIn(script);
    QList<Comparison> found;
    for (auto match = pattern.globalMatch(script); match.hasNext() && found.size() < 50;) {
        const QRegularExpressionMatch one = match.next();
        if (counters.contains(one.captured(1)))
            continue;
        const QString sign = one.captured(2);
        found += Comparison{one.capturedStart(3), one.capturedEnd(3), one.capturedView(3).toInt(),
                            sign == u"-lt" || sign == u"-ge" || sign == u"<" || sign == u">="};
    }
    return found;
}

} // namespace

QList<UnitFinding> checkPatternKills(const RuleContext &, const ExecEntry &entry, Correction &correction)
{
    QList<UnitFinding> found;
    for (const ExecCommand &command : entry.exec.commands) {
        const qsizetype script = shellTextOf(command);
        QStringList arguments;
        for (const ExecWord &word : command.words)
            arguments += word.text;
        const QString program = command.words.first().baseName().toString();
        if (killsByPattern(program, arguments)) {
            found += patternKill(entry.line, program);
            if (entry.line.key == u"ExecStop" && entry.exec.commands.size() == 1)
                correction.replace(command.begin, command.end, u"/bin/kill -s TERM $MAINPID"_s);
            else if (entry.exec.commands.size() == 1)
                correction.comment();
            else
                correction.replace(command.begin, command.end, u"/bin/true"_s);
            continue;
        }
        if (script < 0)
            continue;
        const ExecWord &text = command.words.at(script);
        const QList<ShellCommand> parts = shellCommands(text.text);
        const bool kills = std::ranges::any_of(parts, [](const ShellCommand &part) {
            return part.programName() == u"kill"
                   || (part.programName() == u"xargs" && textsOf(part.words, 0).contains(u"kill"_s));
        });
        for (const ShellCommand &part : parts) {
            const qsizetype at = part.program();
            const QString name = part.programName();
            if (at < 0)
                continue;
            const QStringList rest = textsOf(part.words, at + 1);
            if (killsByPattern(name, rest)) {
                found += patternKill(entry.line, name);
                const qsizetype last = part.words.last().end;
                correction.replace(text.from.at(part.words.at(at).begin),
                                   last < text.text.size() ? text.from.at(last) : text.from.at(last - 1) + 1,
                                   u"true"_s);
            } else if (kills && name == u"pgrep" && rest.join(u' ').contains(QRegularExpression(u"-\\w*f"_s))) {
                found += patternKill(entry.line, u"pgrep with kill"_s);
            }
        }
    }
    return found;
}

QList<UnitFinding> checkThreshold(const RuleContext &context, const ExecEntry &entry, Correction &correction)
{
    QList<UnitFinding> found;
    const bool comesBefore = entry.line.key == u"ExecStartPre" || entry.line.key == u"ExecCondition";
    if (!comesBefore || !context.facts.idleMib || entry.line.value.contains(u"memory.free"))
        return found;
    const int idle = *context.facts.idleMib;
    const int enough = (idle + idle / 4 + 199) / 100 * 100;
    for (const ExecCommand &command : entry.exec.commands) {
        const qsizetype script = shellTextOf(command);
        if (script >= 0 && !command.words.at(script).text.contains(u"memory.used"))
            continue;
        for (const ExecWord &word : command.words.mid(script < 0 ? 1 : script)) {
            for (const Comparison &one : comparisonsIn(word.text)) {
                if (one.mib > idle || (one.mib == idle && !one.strict) || one.mib < 10)
                    continue;
                correction.replace(word.from.at(one.begin), word.from.at(one.end - 1) + 1, QString::number(enough));
                found += findingAt(entry.line, u"start.threshold"_s, Severity::Error,
                                   u"It waits for less than %1 MiB, but a free GPU of this host keeps %2 MiB in use: "
                                   "that can never come true."_s.arg(one.mib)
                                       .arg(idle));
            }
        }
    }
    return found;
}

} // namespace pilothouse

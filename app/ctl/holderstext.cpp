// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/holderstext.h"

#include "app/ctl/figuretext.h"
#include "app/ctl/texttable.h"

#include <algorithm>
#include <tuple>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

using Align = TextTable::Align;

/// "in use": the contract's words are for scripts.
QString words(QString name)
{
    return name.replace(u'_', u' ');
}

Ink inkOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Leftover:
    case Verdict::Stuck:
        return Ink::Bad;
    case Verdict::Unknown:
    case Verdict::Gone:
    case Verdict::Exiting:
    case Verdict::Foreign:
        return Ink::Warning;
    case Verdict::Serving:
        return Ink::Good;
    default:
        return Ink::Dim;
    }
}

Ink inkOf(HostState state)
{
    switch (state) {
    case HostState::Stuck:
    case HostState::Leftover:
        return Ink::Bad;
    case HostState::Releasing:
    case HostState::Unknown:
        return Ink::Warning;
    case HostState::Serving:
    case HostState::Free:
        return Ink::Good;
    default:
        return Ink::Plain;
    }
}

QString mib(const Quantity<qint64> &value)
{
    return value.isKnown() ? QString::number(value.value()) + u" MiB"_s : u"an unknown amount"_s;
}

QString verdictLines(const HostVerdict &verdict, const Output &output)
{
    QString text = output.inked(nameOf(verdict.state).toUpper(), inkOf(verdict.state)) + u": "_s + verdict.text;
    if (verdict.since.isValid())
        text += u" Since %1."_s.arg(verdict.since.toLocalTime().toString(u"yyyy-MM-dd HH:mm:ss"_s));
    text += u'\n';
    if (verdict.state == HostState::Leftover || verdict.state == HostState::Stuck)
        text += u"Held: %1. The default plan of reclaim would free %2.\n"_s.arg(mib(verdict.heldMib), mib(verdict.reclaimableMib));
    return text;
}

struct Line
{
    const Process *process = nullptr;
    const ProcessVerdict *verdict = nullptr;
    qsizetype family = -1; ///< index in the diagnosis; -1: none that it lists
};

QList<Line> linesOf(const Snapshot &snapshot, const Diagnosis &diagnosis, bool narrowed)
{
    QList<Line> lines;
    const qsizetype count = std::min(snapshot.processes->size(), diagnosis.processes.size());
    for (qsizetype at = 0; at < count; ++at) {
        const Process &process = snapshot.processes->at(at);
        const ProcessVerdict &verdict = diagnosis.processes.at(at);
        qsizetype family = -1;
        for (qsizetype i = 0; i < diagnosis.families.size(); ++i) {
            if (diagnosis.families.at(i).id == verdict.family)
                family = i;
        }
        const bool holds = !process.gpuMemory.isEmpty() || (process.devices && !process.devices->isEmpty());
        if (family >= 0 || (!narrowed && holds))
            lines += Line{&process, &verdict, family};
    }
    // Family by family, its head first.
    std::ranges::sort(lines, {}, [&](const Line &line) {
        const qsizetype family = line.family < 0 ? diagnosis.families.size() : line.family;
        const bool isHead = line.family >= 0 && diagnosis.families.at(line.family).head == line.process->pid;
        return std::tuple(family, !isHead, line.process->pid.value);
    });
    return lines;
}

QString table(const Snapshot &snapshot, const QList<Line> &lines, const Output &output)
{
    if (!snapshot.processes)
        return output.inked(u"Processes unknown"_s, Ink::Bad) + u'\n';
    if (lines.isEmpty())
        return u"No process holds GPU memory or a GPU device.\n"_s;
    TextTable table({{u"PID"_s, Align::Right},
                     {u"USER"_s, Align::Left, 16},
                     {u"ROLE"_s, Align::Left, 20},
                     {u"VERDICT"_s},
                     {u"ACTION"_s},
                     {u"GPU: MIB"_s, Align::Left, 48},
                     {u"HOST GIB"_s, Align::Right},
                     {u"AGE"_s, Align::Right},
                     {u"OWNER"_s, Align::Left, 32},
                     {u"COMMAND"_s, Align::Left, 80}});
    for (const Line &line : lines) {
        const Process &process = *line.process;
        const ProposedAction action = line.verdict->action;
        const QString command = process.command.isEmpty() ? process.comm : process.command;
        table.add({{process.rowsUnreadable ? u"?"_s : QString::number(process.pid.value)},
                   {process.user.isEmpty() ? shown(process.uid) : process.user},
                   {line.verdict->role},
                   {words(nameOf(line.verdict->verdict)), inkOf(line.verdict->verdict)},
                   {action == ProposedAction::None ? u"–"_s : words(nameOf(action))},
                   {gpuMemoryOf(process)},
                   {gib(process.rssKib)},
                   {shown(process.elapsedS, duration)},
                   {process.owner.name},
                   {command.isEmpty() ? process.driverName : command}});
    }
    return table.text(output);
}

/// Why, once a family: its first member's evidence, and what happened.
QString familyText(const Family &family, const QList<Line> &lines, qsizetype at, const Output &output)
{
    QStringList pids;
    const ProcessVerdict *face = nullptr;
    for (const Line &line : lines) {
        if (line.family != at)
            continue;
        pids += QString::number(line.process->pid.value);
        const bool isHead = family.head && line.process->pid == *family.head;
        if (line.verdict->verdict == family.verdict && (!face || isHead))
            face = line.verdict;
    }
    if (pids.isEmpty())
        return {};
    QString text = u'\n' + output.inked(u"Family %1"_s.arg(family.id), Ink::Heading) + u" ("_s
        + output.inked(words(nameOf(family.verdict)), inkOf(family.verdict)) + u"): PID "_s + pids.join(u", "_s) + u'\n';
    for (const QString &sentence : face ? face->evidence : QStringList())
        text += u"  "_s + sentence + u'\n';
    for (const StoryLine &line : family.story) {
        const QString when = line.at.isValid() ? line.at.toLocalTime().toString(u"yyyy-MM-dd HH:mm:ss"_s) : u"–"_s;
        text += u"  "_s + output.inked(when, Ink::Dim) + u"  "_s + line.text + u'\n';
    }
    return text;
}

} // namespace

QString holdersText(const Snapshot &snapshot, const Diagnosis &diagnosis, bool narrowed, const Output &output)
{
    const QList<Line> lines = snapshot.processes ? linesOf(snapshot, diagnosis, narrowed) : QList<Line>();
    QString text = headLine(snapshot, output) + verdictLines(diagnosis.host, output) + u'\n' + table(snapshot, lines, output);
    for (qsizetype at = 0; at < diagnosis.families.size(); ++at)
        text += familyText(diagnosis.families.at(at), lines, at, output);
    return text;
}

} // namespace pilothouse

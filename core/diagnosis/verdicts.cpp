// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diagnosis/verdicts.h"

#include "core/diagnosis/evidence.h"

#include <algorithm>
#include <cmath>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr double stuckS = 15; ///< a SIGKILL that is pending for longer found nobody to take it

ProposedAction actionFor(const JudgedFamily &family)
{
    const auto has = [&](QStringView name) { return family.facts.find(name) != nullptr; };
    switch (family.verdict) {
    case Verdict::Serving:
    case Verdict::Helper:
        return ProposedAction::None;
    case Verdict::Starting:
    case Verdict::Exiting:
        return ProposedAction::Wait;
    case Verdict::Leftover:
        if (has(u"NO_RIGHTS") || has(u"SLURM") || has(u"UNPROVED"))
            return ProposedAction::AskOwner;
        if (has(u"CONTAINER"))
            return ProposedAction::StopContainer;
        if (has(u"HEIR"))
            return ProposedAction::Kill;
        if (!family.holds)
            return ProposedAction::None; // there is nothing to get back
        return family.facts.unitSupervises ? ProposedAction::StopUnit : ProposedAction::Terminate;
    default:
        return family.holds ? ProposedAction::AskOwner : ProposedAction::None;
    }
}

bool spansSessions(const Kin &kin, const Table &table)
{
    QSet<qint64> sessions;
    for (const qsizetype at : kin.rows) {
        if (table.row(at).process->sid.isKnown())
            sessions.insert(table.row(at).process->sid.value());
    }
    return sessions.size() > 1;
}

QStringList causesOf(const JudgedFamily &family, const Ground &ground)
{
    QStringList causes;
    const auto has = [&](QStringView name) { return family.facts.find(name) != nullptr; };
    const auto add = [&](bool applies, const QString &cause) {
        if (applies && !causes.contains(cause))
            causes += cause;
    };
    const bool left = family.verdict == Verdict::Leftover;
    add(left && !has(u"HEIR"), u"C1"_s);
    add(left && spansSessions(family.kin, ground.table), u"C2"_s);
    add(has(u"HEIR"), u"C3"_s);
    for (const qsizetype at : family.kin.rows) {
        const Process &process = *ground.table.row(at).process;
        add(process.state == u'Z', u"C4"_s);
        add(process.deep.killPending.value_or(false), u"C6"_s);
        add(process.exiting, u"C7"_s);
    }
    add(has(u"IMPORTER"), u"C9"_s);
    add(has(u"CONTAINER"), u"C11"_s);
    add(has(u"RESPAWNED"), u"C12"_s);
    add(has(u"FAULT"), u"C13"_s);
    add(family.holds && (has(u"HUMAN") || has(u"KEEPALIVE") || family.verdict == Verdict::Serving
            || family.verdict == Verdict::Foreign), u"C15"_s);
    return causes;
}

bool onlyHelpers(const Kin &kin, const Table &table)
{
    return std::ranges::all_of(kin.rows, [&](qsizetype at) { return table.row(at).roleClass == RoleClass::Helper; });
}

/// Rules whose processes the default plan may end; children without a name follow their family.
bool mayBePreselected(const TableRow &row)
{
    switch (row.roleClass) {
    case RoleClass::Worker:
    case RoleClass::Engine:
    case RoleClass::Frontend:
    case RoleClass::Server:
    case RoleClass::Spawned:
    case RoleClass::App:
    case RoleClass::Other:
        return true;
    default:
        return false;
    }
}

/// A process that is what it is, whatever its family.
struct Own
{
    Fact fact;
    ProposedAction action = ProposedAction::None;
};

QString secondsFor(const Process &process)
{
    const double kib = double(std::max(process.deep.lockedKib.value_or(0), process.rssKib.valueOr(0)));
    return QString::number(10 + 0.15 * kib / (1024.0 * 1024.0), 'f', 0);
}

std::optional<Own> ownState(const TableRow &row, const Ground &ground)
{
    const Process &process = *row.process;
    const Snapshot &snapshot = ground.input.snapshot;
    if (!row.present) {
        if (process.rowsUnreadable)
            return Own{{u"UNSEEN"_s, u"the driver does not tell its number"_s, {}}};
        if (snapshot.system.container)
            return Own{{u"UNSEEN"_s, u"it is outside of this container"_s, {}}};
        if (snapshot.system.hidepid || process.startTicks.reason() != UnknownReason::Absent)
            return Own{{u"UNSEEN"_s, u"this account may not see it; root may"_s, {}}};
        return Own{{u"GHOST"_s, {}, {}}};
    }
    if (process.state == u'X' || (process.state == u'Z' && process.threads.valueOr(1) <= 1))
        return Own{{u"ZOMBIE"_s, {}, {}}};
    if (process.deep.killPending.value_or(false)) {
        const auto identity = process.identity();
        const QDateTime since = identity ? ground.input.lineage.killPendingSince.value(*identity) : QDateTime();
        const double waited = since.isValid() ? double(since.msecsTo(snapshot.takenAt)) / 1000 : 0;
        if (waited > stuckS) {
            const QString where = process.deep.waitsIn.value_or(QString());
            return Own{{u"STUCK"_s, QString::number(waited, 'f', 0), where.isEmpty() ? where : u" ("_s + where + u')'},
                ProposedAction::Reboot};
        }
        return Own{{u"KILLED"_s, QString::number(stuckS - std::max(0.0, waited), 'f', 0), {}}, ProposedAction::Wait};
    }
    if (process.exiting)
        return Own{{u"EXITING"_s, secondsFor(process), {}}, ProposedAction::Wait};
    return std::nullopt;
}

QString relatives(const JudgedFamily &family, const Ground &ground)
{
    QStringList names;
    int more = 0;
    for (const qsizetype at : family.kin.rows) {
        const TableRow &row = ground.table.row(at);
        if (row.roleClass == RoleClass::Helper)
            continue;
        if (names.size() < 3)
            names += nameOf(*row.process);
        else
            ++more;
    }
    return names.join(u", "_s) + (more > 0 ? u" and %1 more"_s.arg(more) : QString());
}

/// By what it belongs, where its own name does not say so.
void addRole(QStringList &evidence, qsizetype at, const JudgedFamily &family, const TableRow &row)
{
    const bool titled = row.process->arguments.size() == 1 && row.process->command.contains(u"::"_s);
    const bool nameless = row.roleClass == RoleClass::Spawned || row.roleClass == RoleClass::Other;
    if (nameless && family.kin.rows.size() > 1)
        evidence += sentenceOf({u"KIN"_s, family.kin.ties.value(at, u"parentage"_s), {}});
    else if (titled && row.isDependent())
        evidence += sentenceOf({u"TITLE"_s, row.process->command, {}});
    if (row.process->state == u'Z')
        evidence += sentenceOf({u"ZLEADER"_s, QString::number(row.process->threads.valueOr(0)), {}});
}

} // namespace

QString familyId(const Kin &kin, const Table &table)
{
    if (kin.remembered)
        return u"%1-%2"_s.arg(kin.remembered->head.pid.value).arg(kin.remembered->head.start.value);
    const TableRow &first = table.row(kin.head >= 0 ? kin.head : kin.rows.first());
    return u"%1-%2"_s.arg(first.process->pid.value).arg(first.start());
}

JudgedFamily judgedFamily(const Kin &kin, const Ground &ground)
{
    JudgedFamily family{kin, factsOf(kin, ground), {}, {}, {}, {}, {}, {}};
    family.holds = std::ranges::any_of(kin.rows, [&](qsizetype at) { return ground.table.row(at).holds; });
    bool decided = false;
    QStringList notes;
    for (const Modifier &modifier : Rules::builtIn().modifiers()) {
        for (const Fact &fact : std::as_const(family.facts.facts)) {
            if (fact.name != modifier.name)
                continue;
            const bool decides = modifier.effect == Modifier::Effect::Decides || modifier.effect == Modifier::Effect::Proves;
            if (decides && !decided) {
                decided = true;
                family.verdict = modifier.effect == Modifier::Effect::Proves ? Verdict::Leftover : modifier.verdict;
                family.evidence.prepend(sentenceOf(fact));
            } else {
                notes += sentenceOf(fact);
            }
            family.confirm = family.confirm || modifier.effect == Modifier::Effect::Confirm || fact.name == "HEIR"_L1;
        }
    }
    family.evidence += notes;
    if (onlyHelpers(kin, ground.table))
        family.verdict = Verdict::Helper;
    family.action = actionFor(family);
    family.causes = causesOf(family, ground);
    return family;
}

ProcessVerdict judgedProcess(qsizetype at, const JudgedFamily *family, const Ground &ground)
{
    const TableRow &row = ground.table.row(at);
    const Process &process = *row.process;
    ProcessVerdict judged;
    judged.pid = process.pid;
    judged.identity = process.identity();
    judged.rule = row.rule;
    judged.role = row.role;
    if (family)
        judged.family = familyId(family->kin, ground.table);
    const auto says = [&](Verdict verdict, const QString &name, const QString &one = {}) {
        judged.verdict = verdict;
        judged.evidence += sentenceOf({name, one, {}});
        return judged;
    };
    if (const auto own = ownState(row, ground); own && row.roleClass != RoleClass::System) {
        judged.verdict = Rules::builtIn().modifier(own->fact.name)->verdict;
        judged.action = own->action;
        judged.evidence += sentenceOf(own->fact);
        if (family)
            judged.evidence += family->evidence;
        return judged;
    }
    switch (row.roleClass) {
    case RoleClass::System: return says(Verdict::Infrastructure, u"SYSTEM"_s);
    case RoleClass::Infrastructure: return says(Verdict::Infrastructure, u"INFRASTRUCTURE"_s);
    case RoleClass::Mps: return says(Verdict::Infrastructure, u"MPS"_s);
    case RoleClass::Vm: return says(Verdict::Infrastructure, u"VM"_s);
    case RoleClass::Helper: {
        const QString kin = family ? relatives(*family, ground) : QString();
        return kin.isEmpty() || row.role != "python.tracker"_L1 ? says(Verdict::Helper, u"HELPER"_s)
                                                                : says(Verdict::Helper, u"TRACKER"_s, kin);
    }
    default: break;
    }
    if (!family) {
        judged.evidence += u"It holds no GPU memory."_s;
        return judged;
    }
    judged.verdict = family->verdict;
    judged.action = family->action;
    judged.evidence = family->evidence;
    addRole(judged.evidence, at, *family, row);
    if (family->verdict == Verdict::Leftover && process.state == u'Z' && judged.action == ProposedAction::Terminate)
        judged.action = ProposedAction::Kill;
    if (judged.evidence.isEmpty())
        judged.evidence += u"Nothing more is known of it."_s;
    judged.preselected = family->verdict == Verdict::Leftover && !family->confirm && family->holds
        && ground.input.snapshot.depth == Depth::Deep && judged.identity && mayBePreselected(row);
    return judged;
}

} // namespace pilothouse

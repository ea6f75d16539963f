// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/unit/diagnosis/casefile.h"

#include <algorithm>

namespace pilothouse::test {

using namespace Qt::StringLiterals;

namespace {

QString shown(const Quantity<qint64> &value)
{
    return value.isKnown() ? QString::number(value.value()) : u"unknown"_s;
}

class Checker
{
public:
    Checker(const Expected &expected, const Diagnosis &diagnosis)
        : m_expected(expected)
        , m_diagnosis(diagnosis)
    {
    }

    QStringList run()
    {
        host();
        for (const ExpectedProcess &one : m_expected.processes)
            process(one);
        for (const ExpectedFamily &one : m_expected.families)
            family(one);
        kills();
        return m_wrong;
    }

private:
    void same(const QString &what, const QString &actual, const QString &expected)
    {
        if (!expected.isEmpty() && actual != expected)
            m_wrong += what + u" is "_s + actual + u", not "_s + expected;
    }
    void holds(const QString &what, const QStringList &actual, const QStringList &expected)
    {
        for (const QString &one : expected) {
            if (!actual.contains(one))
                m_wrong += what + u" lacks "_s + one + u", has "_s + actual.join(u", "_s);
        }
    }

    void host()
    {
        const HostVerdict &host = m_diagnosis.host;
        if (m_expected.state.isEmpty())
            m_wrong += u"the case expects nothing of the host"_s;
        same(u"host"_s, nameOf(host.state), m_expected.state);
        same(u"held"_s, shown(host.heldMib), m_expected.heldMib);
        same(u"reclaimable"_s, shown(host.reclaimableMib), m_expected.reclaimableMib);
        same(u"since"_s, host.since.isValid() ? u"known"_s : u"unknown"_s, m_expected.since);
        holds(u"host"_s, host.causes, m_expected.causes);
        if (!host.text.contains(m_expected.says) || host.text.isEmpty())
            m_wrong += u"host says: "_s + host.text;
        for (auto gpu = m_expected.gpus.cbegin(); gpu != m_expected.gpus.cend(); ++gpu) {
            for (const GpuHolding &holding : m_diagnosis.gpus) {
                if (holding.gpu != gpu.key())
                    continue;
                const QStringList actual{shown(holding.heldMib), shown(holding.reclaimableMib), shown(holding.unattributedMib)};
                same(u"gpu %1"_s.arg(gpu.key()), actual.join(u' '), gpu->join(u' '));
            }
        }
    }

    void process(const ExpectedProcess &expected)
    {
        const auto found = std::ranges::find_if(m_diagnosis.processes,
            [&](const ProcessVerdict &p) { return p.pid.value == expected.pid; });
        if (found == m_diagnosis.processes.end()) {
            m_wrong += u"no verdict: "_s + expected.line;
            return;
        }
        const QString what = QString::number(expected.pid);
        same(what, nameOf(found->verdict), expected.verdict);
        same(what + u" action"_s, nameOf(found->action), QString(expected.action).remove(u'!'));
        same(what + u" rule"_s, found->rule, expected.rule);
        const QString said = found->evidence.join(u' ');
        if (said.isEmpty() || !said.contains(expected.says))
            m_wrong += what + u" says: "_s + said;
    }

    void family(const ExpectedFamily &expected)
    {
        const auto matches = [&](const Family &family) {
            const QString head = family.head ? QString::number(family.head->value) : u"none"_s;
            return head == expected.head
                && (expected.members.isEmpty() || family.members.contains(Pid{expected.members.first()}));
        };
        const auto found = std::ranges::find_if(m_diagnosis.families, matches);
        if (found == m_diagnosis.families.end()) {
            m_wrong += u"no such family: "_s + expected.line;
            return;
        }
        const QString what = u"family "_s + expected.head;
        same(what, nameOf(found->verdict), expected.verdict);
        same(what + u" service"_s, found->service, expected.service);
        holds(what, found->causes, expected.causes);
        holds(what, found->modifiers, expected.modifiers);
        QList<qint64> members;
        for (const Pid &pid : found->members)
            members += pid.value;
        std::ranges::sort(members);
        QList<qint64> wanted = expected.members;
        std::ranges::sort(wanted);
        if (!wanted.isEmpty() && members != wanted) {
            QStringList names;
            for (const qint64 pid : members)
                names += QString::number(pid);
            m_wrong += what + u" has "_s + names.join(u',');
        }
        const bool told = std::ranges::any_of(found->story, [&](const StoryLine &l) { return l.text.contains(expected.story); });
        if (!expected.story.isEmpty() && !told) {
            for (const StoryLine &line : found->story)
                m_wrong += what + u" tells: "_s + line.text;
        }
    }

    /// Preselected are those that the case wants ended, and no other: terminate, kill or stop_unit with a leftover.
    void kills()
    {
        for (const ProcessVerdict &one : m_diagnosis.processes) {
            const auto wanted = std::ranges::any_of(m_expected.processes, [&](const ExpectedProcess &e) {
                return e.pid == one.pid.value && e.verdict == "leftover"_L1
                    && (e.action == "terminate"_L1 || e.action == "stop_unit"_L1 || e.action == "kill!"_L1);
            });
            if (one.preselected && !wanted)
                m_wrong += u"wrong kill: %1"_s.arg(one.pid.value);
            if (!one.preselected && wanted)
                m_wrong += u"not preselected: %1"_s.arg(one.pid.value);
        }
    }

    const Expected &m_expected;
    const Diagnosis &m_diagnosis;
    QStringList m_wrong;
};

} // namespace

Diagnosis diagnosed(const Case &one, bool warm)
{
    const Lineage lineage = warm ? remember(remember({}, one.before), one.before) : Lineage();
    return diagnose({one.now, lineage, one.login, one.services, one.ports, one.ownPids, one.endedAt});
}

QStringList complaints(const Case &one, bool warm)
{
    if (!one.error.isEmpty())
        return {one.error};
    return Checker(warm ? one.warm : one.cold, diagnosed(one, warm)).run();
}

} // namespace pilothouse::test

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/holderchoice.h"

#include <algorithm>

namespace pilothouse {

void HolderChoice::setFindings(const FindingsPtr &findings)
{
    m_findings = findings;
    QSet<QString> there;
    if (findings) {
        for (const Family &family : findings->diagnosis.families)
            there.insert(family.id);
    }
    m_left.intersect(there);
    m_added.intersect(there);
}

void HolderChoice::setUnlocked(bool unlocked)
{
    m_unlocked = unlocked;
    if (!unlocked)
        m_added.clear();
}

bool HolderChoice::isProposed(const QString &family) const
{
    return m_findings && std::ranges::find(m_findings->plan.families, family, &PlanFamily::id)
        != m_findings->plan.families.cend();
}

HolderChoice::Tick HolderChoice::tickOf(const ProcessVerdict &verdict) const
{
    if (!mayBeNamed(verdict))
        return Tick::None;
    if (isProposed(verdict.family))
        return m_left.contains(verdict.family) ? Tick::Off : Tick::On;
    if (!m_unlocked)
        return Tick::Locked;
    return m_added.contains(verdict.family) ? Tick::On : Tick::Off;
}

bool HolderChoice::toggle(const ProcessVerdict &verdict)
{
    const Tick tick = tickOf(verdict);
    if (tick == Tick::None || tick == Tick::Locked)
        return false;
    QSet<QString> &turned = isProposed(verdict.family) ? m_left : m_added;
    if (!turned.remove(verdict.family))
        turned.insert(verdict.family);
    return true;
}

PlanOptions HolderChoice::planOptions() const
{
    PlanOptions options;
    options.concerns = [left = m_left](const Family &family) { return !left.contains(family.id); };
    QSet<QString> named;
    for (const ProcessVerdict &verdict : m_findings ? m_findings->diagnosis.processes : QList<ProcessVerdict>()) {
        if (!m_added.contains(verdict.family) || named.contains(verdict.family) || !mayBeNamed(verdict))
            continue;
        named.insert(verdict.family);
        options.include += *verdict.identity;
    }
    return options;
}

} // namespace pilothouse

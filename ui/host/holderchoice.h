// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a person has ticked among the holders: leftovers are, unless taken out; others only once the person has said "I
// know". Families go as a whole. A value, any thread.

#include "core/fleet/findings.h"

#include <QSet>

namespace pilothouse {

class HolderChoice final
{
public:
    enum class Tick {
        None,   ///< nothing that could be ended
        Locked, ///< only after "I know"
        Off,
        On,
    };

    /// What was ticked stays so, as far as it is still there. Null: nothing is known.
    void setFindings(const FindingsPtr &findings);
    /// The person knows what others are. Taking it back unticks them.
    void setUnlocked(bool unlocked);
    [[nodiscard]] bool isUnlocked() const { return m_unlocked; }

    [[nodiscard]] Tick tickOf(const ProcessVerdict &verdict) const;
    /// Turns the whole family; false where that may not be.
    bool toggle(const ProcessVerdict &verdict);

    /// What a plan has to do to follow the choice.
    [[nodiscard]] PlanOptions planOptions() const;
    /// Nothing was changed by hand.
    [[nodiscard]] bool isDefault() const { return m_left.isEmpty() && m_added.isEmpty(); }

private:
    [[nodiscard]] bool isProposed(const QString &family) const;

    FindingsPtr m_findings;
    QSet<QString> m_left;  ///< families of the default plan that are not to be touched
    QSet<QString> m_added; ///< families that a person names
    bool m_unlocked = false;
};

} // namespace pilothouse

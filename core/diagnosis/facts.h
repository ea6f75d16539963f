// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What is found out about one family, by the names of resources/rules/modifiers.txt. Pure, any thread.

#include "core/diagnosis/diagnose.h"
#include "core/diagnosis/kinship.h"

namespace pilothouse {

struct Fact
{
    QString name;
    QString one; ///< for %1
    QString two; ///< for %2
};

struct FamilyFacts
{
    QList<Fact> facts;
    QList<int> gpus;             ///< indices that its members hold memory on
    const Unit *unit = nullptr;  ///< its unit, where the snapshot has it
    QString unitName;
    bool unitSupervises = false; ///< its main process is of the family and it is not at rest

    [[nodiscard]] const Fact *find(QStringView name) const;
};

/// What all families are judged by.
struct Ground
{
    const DiagnosisInput &input;
    const Table &table;
    QList<HostMoment> minute;               ///< what is remembered of the minute before the snapshot
    QHash<qint64, QList<quint16>> ports;    ///< listening, by PID
    QHash<int, QSet<qsizetype>> cardHolders; ///< rows, by index of the card
    bool rayLives = false;

    Ground(const DiagnosisInput &in, const Table &rows);

    /// The oldest moment whose processes are remembered. Null: none.
    [[nodiscard]] const HostMoment *before() const;
    /// Null: in no unit, or in one that was not asked about.
    [[nodiscard]] const Unit *unitOf(const Owner &owner, const Process &process) const;
};

[[nodiscard]] FamilyFacts factsOf(const Kin &kin, const Ground &ground);

} // namespace pilothouse

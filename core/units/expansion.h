// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What systemd 252 puts in the place of something in a word of an Exec line: specifiers when it reads the unit,
// variables
// when it starts the command. Pure, any thread.

#include <QList>
#include <QString>

namespace pilothouse {

/// Offsets are of the word's text.
struct VariableUse
{
    enum class Kind {
        Whole, ///< the word begins with $: all behind it is taken for the name
        Braced, ///< ${name}
    };
    Kind kind = Kind::Braced;
    QString name;
    qsizetype begin = 0;
    qsizetype length = 0;
};

/// "$$" and "${name:-else}" are none: they stay.
[[nodiscard]] QList<VariableUse> variablesIn(const QString &word);

struct SpecifierUse
{
    QChar letter;
    qsizetype at = 0; ///< of the percent sign
};

/// "%%" is none.
[[nodiscard]] QList<SpecifierUse> specifiersIn(QStringView text);

/// What it stands for ("the host name"); empty: systemd knows no such letter. For a letter or a digit it then refuses
/// the unit; anything else stays as it is.
[[nodiscard]] QString meaningOfSpecifier(QChar letter);

/// Letters, digits and underscores, no digit first.
[[nodiscard]] bool isVariableName(QStringView name);

} // namespace pilothouse

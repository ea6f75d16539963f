// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// A unit as a host told it, ready for checkUnit(). Values and a pure reader, any thread.

#include "core/units/unitfacts.h"
#include "core/units/unittext.h"

namespace pilothouse {

/// What one command on the host said.
struct UnitReply
{
    int status = -1; ///< -1: it was not asked
    QByteArray output;
    QByteArray errors;
};

struct UnitReading
{
    enum class State {
        Read,
        NoSystemd, ///< no systemctl, or the manager cannot be reached
        NoUnit, ///< there is none of this name, or it is masked
        NoText, ///< its file cannot be read
    };
    State state = State::NoSystemd;
    QString words; ///< why, when it is not Read: a sentence or two, cleaned
    UnitText text;
    UnitFacts facts;
};

/// `show`: systemctl show; `cat`: systemctl cat; `lines`: see addHostLines().
[[nodiscard]] UnitReading readUnit(const QString &unit, bool user, const UnitReply &show, const UnitReply &cat,
                                   QByteArrayView lines);

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/units/unitreading.h"

#include "core/base/cleantext.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

void judge(UnitReading &reading, const UnitReply &show, const UnitReply &cat)
{
    using State = UnitReading::State;
    const QString said = cleanLine(QByteArray(show.errors + ' ' + cat.errors).simplified(), 300);
    const QString &unit = reading.facts.unit;
    if (show.status != 0) {
        reading.state = State::NoSystemd;
        reading.words = show.status == 127 ? u"The host has no systemctl."_s
                        : said.isEmpty()   ? u"systemctl does not answer."_s
                                           : u"systemctl says: %1."_s.arg(said);
        if (reading.facts.user)
            reading.words += u" A person's units can be read only while that person's manager runs."_s;
    } else if (reading.facts.load == u"not-found") {
        reading.state = State::NoUnit;
        reading.words = u"The host has no unit %1; systemctl list-unit-files names those that it has."_s.arg(unit);
    } else if (reading.facts.load == u"masked") {
        reading.state = State::NoUnit;
        reading.words = u"%1 is masked: it has no text, and cannot start; systemctl unmask gives it back."_s.arg(unit);
    } else if (reading.text.files.isEmpty()) {
        reading.state = State::NoText;
        reading.words = said.isEmpty() ? u"%1 has no file."_s.arg(unit) : u"systemctl says: %1."_s.arg(said);
    } else {
        reading.state = State::Read;
    }
}

} // namespace

UnitReading readUnit(const QString &unit, bool user, const UnitReply &show, const UnitReply &cat, QByteArrayView lines)
{
    UnitReading reading;
    reading.facts = readUnitFacts(unit, user, show.output);
    addHostLines(reading.facts, lines);
    reading.text = readUnitText(cat.output, reading.facts.paths);
    judge(reading, show, cat);
    return reading;
}

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// systemctl cat to findings: reader, splitter, shell hints and every rule. What is shown is clean and short.
#include "core/base/cleantext.h"
#include "core/units/checkunit.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArrayView bytes(data, qsizetype(size));
    UnitFacts facts = readUnitFacts(QStringLiteral("x.service"), false, bytes);
    facts.paths.clear();
    addHostLines(facts, bytes);
    facts.idleMib = 2000;
    const UnitText text = readUnitText(bytes, {});
    (void)readUnitText(bytes, {QStringLiteral("/etc/systemd/system/x.service")});
    for (const UnitFinding &finding : checkUnit(text, facts)) {
        for (const QString &part : {finding.text, finding.suggestion, finding.file}) {
            if (cleanLine(part, 8192) != part)
                std::abort();
        }
        if (finding.suggestion.isEmpty() != (finding.way == UnitFinding::Way::None))
            std::abort();
    }
    return 0;
}

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// journalctl -o json to lines, and to the reason of a failure. What is shown is clean and short.
#include "core/base/cleantext.h"
#include "core/actions/journalline.h"
#include "core/workflow/rootcause.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    QStringList texts;
    for (const JournalLine &line : readJournal(QByteArrayView(data, qsizetype(size)), 200)) {
        const bool isClean = cleanLine(line.text, 4096) == line.text && cleanLine(line.name, 80) == line.name;
        if (!isClean || line.priority < 0 || line.priority > 7)
            std::abort();
        texts += line.text;
        (void)loadPhaseOf(line.text);
    }
    const auto cause = rootCauseOf(texts);
    if (cause && (cause->at < 0 || cause->at >= texts.size()))
        std::abort();
    return 0;
}

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What a host's state comes to, in words: for its row in the list and for the top of its page. Pure, any thread.

#include "ui/host/hostdata.h"
#include "ui/theme/severity.h"

namespace pilothouse {

struct HostSummary
{
    Severity severity = Severity::Quiet;
    QString word;     ///< the state in a few words, for the list
    QString headline; ///< the answer; takes the severity's colour
    QString rest;     ///< goes on after the headline, muted
    QString problem = {}; ///< the text of the problem that the headline says, so that nothing says it again
};

[[nodiscard]] HostSummary summaryOf(const HostData &host, const QDateTime &now);

/// Used and total of all cards whose figures are known.
struct MemorySum
{
    double usedMib = 0;
    double totalMib = 0;
    int known = 0;   ///< cards with both figures
    int unknown = 0; ///< cards without
};
[[nodiscard]] MemorySum memoryOf(const Snapshot &snapshot);

/// "754 / 764 GiB" for the list; empty without a snapshot, a dash where no card's memory is known.
[[nodiscard]] QString memoryWords(const HostData &host);

/// "8 × RTX PRO 6000", "4 × H100 PCIe, 2 × A100 SXM4"; what is known of the lack of them otherwise.
[[nodiscard]] QString gpuWords(const Snapshot &snapshot);

/// "0.8 s", for the list's right end; empty without a snapshot.
[[nodiscard]] QString ageWords(const HostData &host, const QDateTime &now);

/// The line of facts below the headline, without the age: "8 × … · driver … · up 41 d · root@…".
[[nodiscard]] QString factsLine(const HostData &host);

/// "vllm.service failed, exit-code, since 02:41 · …"; empty when the snapshot names no units.
[[nodiscard]] QString unitsLine(const Snapshot &snapshot, const QDateTime &now);

/// The page as text, for a ticket.
[[nodiscard]] QString summaryText(const HostData &host, const QDateTime &now);

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What the one button of a host's page says, and whether it may be pressed. Pure, GUI thread.

#include "ui/host/holderchoice.h"
#include "ui/host/hostdata.h"

namespace pilothouse {

struct ReclaimOffer
{
    bool isThere = false; ///< there is something that could be ended
    QString text;         ///< "Free 754.8 GiB…"
    QString forbidden;    ///< why it cannot be pressed; empty: it can
    QString hint;

    friend bool operator==(const ReclaimOffer &, const ReclaimOffer &) = default;
};

[[nodiscard]] ReclaimOffer reclaimOfferOf(const HostData &host, const HolderChoice &choice, const QDateTime &now);

/// Why nothing may be changed on the host; empty where it may.
[[nodiscard]] QString changesForbidden(const HostData &host);

} // namespace pilothouse

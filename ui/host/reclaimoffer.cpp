// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/reclaimoffer.h"

#include "core/workflow/plansteps.h"
#include "core/workflow/reclaimwords.h"
#include "ui/text/formatter.h"

#include <QCoreApplication>

namespace pilothouse {

namespace {

struct Tr
{
    Q_DECLARE_TR_FUNCTIONS(Reclaim)
};

} // namespace

QString changesForbidden(const HostData &host)
{
    if (host.spec.access != Access::ReadOnly)
        return {};
    return Tr::tr("%1 is read-only: its entry in hosts.toml says access = \"read-only\", it was imported, or the "
                  "console was started with --read-only. Nothing is changed on it.")
        .arg(host.spec.name);
}

ReclaimOffer reclaimOfferOf(const HostData &host, const HolderChoice &choice, const QDateTime &now)
{
    if (!host.findings || !host.findingsHold)
        return {};
    const Findings &found = *host.findings;
    const Result<Plan> plan = choice.isDefault() ? Result<Plan>(found.plan) // made beside this thread
                                                 : makePlan(*found.snapshot, found.diagnosis, choice.planOptions());
    ReclaimOffer offer;
    offer.isThere = !found.plan.families.isEmpty() || (plan && !plan->families.isEmpty());
    if (!offer.isThere)
        return {};
    const Quantity<qint64> held = plan ? heldBy(*plan) : Quantity<qint64>();
    offer.text = plan && held.isKnown() && held.value() > 0 ? Tr::tr("Free %1…").arg(format::memory(held))
                                                            : Tr::tr("Free Memory…");
    offer.forbidden = changesForbidden(host);
    if (offer.forbidden.isEmpty() && (!plan || plan->families.isEmpty()))
        offer.forbidden = Tr::tr("Nothing is ticked.");
    else if (offer.forbidden.isEmpty() && host.isStale(now))
        offer.forbidden = Tr::tr("What is shown is old; the host has to answer first.");
    if (offer.forbidden.isEmpty()) {
        offer.hint = Tr::tr("Shows the plan for %1 first; nothing is done before you agree (Ctrl+Shift+M)")
                         .arg(processesInWords(plan->targets().size()));
    }
    return offer;
}

} // namespace pilothouse

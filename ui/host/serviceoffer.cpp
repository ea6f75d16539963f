// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/serviceoffer.h"

#include "core/fleet/servicediscovery.h"
#include "ui/theme/plain.h"

#include <QPushButton>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostNamed = 3;

QString wordsFor(const QStringList &units)
{
    QString named = units.first(std::min(mostNamed, units.size())).join(u", "_s);
    if (units.size() > mostNamed)
        named = ServiceOffer::tr("%1 and %2 more").arg(named, QString::number(units.size() - mostNamed));
    return units.size() == 1 ? ServiceOffer::tr("A service was found that is not in hosts.toml: %1").arg(named)
                             : ServiceOffer::tr("%1 services were found that are not in hosts.toml: %2")
                                   .arg(QString::number(units.size()), named);
}

} // namespace

ServiceOffer::ServiceOffer(const Theme &theme, QWidget *parent)
    : OfferBar(theme, u"serviceOffer"_s, ColorId::TextMuted, parent)
    , m_add(addButton(u"Add"_s, tr("Add"), tr("Add the services to hosts.toml")))
{
    connect(m_add, &QPushButton::clicked, this, [this] { emit addRequested(m_services); });
}

void ServiceOffer::showHost(const HostSpec &host, const Snapshot &snapshot)
{
    // Only where they can be written down: elsewhere it would be an offer that nobody can take.
    const bool own = host.origin == HostOrigin::OwnFile;
    const QList<ServiceSpec> found = own ? discoverServices(snapshot, host.services) : QList<ServiceSpec>();
    if (found == m_services)
        return;
    m_services = found;
    QStringList units;
    for (const ServiceSpec &service : found)
        units << service.unit;
    say(units.isEmpty() ? QString() : wordsFor(units), units.join(u'\n'));
    m_add->setToolTip(plainToolTip(tr("Writes into %1:\n%2").arg(host.source, units.join(u'\n'))));
}

} // namespace pilothouse

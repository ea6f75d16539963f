// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One quiet line: services that were found on the host and are not written down, and a button that writes them into
// hosts.toml where the host stands in it. Takes no room when there are none. GUI thread; owned by the page.

#include "core/fleet/hostspec.h"
#include "core/host/snapshot.h"
#include "ui/host/offerbar.h"

namespace pilothouse {

class ServiceOffer final : public OfferBar
{
    Q_OBJECT
public:
    explicit ServiceOffer(const Theme &theme, QWidget *parent = nullptr);

    void showHost(const HostSpec &host, const Snapshot &snapshot);

signals:
    void addRequested(const QList<pilothouse::ServiceSpec> &services);

private:
    QList<ServiceSpec> m_services;
    QPushButton *m_add;
};

} // namespace pilothouse

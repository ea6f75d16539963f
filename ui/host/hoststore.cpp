// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/host/hoststore.h"

#include <algorithm>

namespace pilothouse {

HostStore::HostStore(Clock clock, QObject *parent)
    : QObject(parent)
    , m_clock(std::move(clock))
{
}

HostStore::~HostStore() = default;

bool HostStore::add(const HostSpec &spec)
{
    if (HostData *known = at(spec.name)) {
        known->spec = spec;
        emit changed(spec.name);
        return false;
    }
    auto host = std::make_unique<HostData>();
    host->spec = spec;
    host->state.since = now();
    m_byName.insert(spec.name, host.get());
    m_hosts.push_back(std::move(host));
    emit added(spec.name);
    return true;
}

void HostStore::remove(const QString &name)
{
    const auto it = std::ranges::find_if(m_hosts, [&name](const auto &host) { return host->spec.name == name; });
    if (it == m_hosts.end())
        return;
    const std::unique_ptr<HostData> kept = std::move(*it); // until all who read it have let go
    m_hosts.erase(it);
    m_byName.remove(kept->spec.name);
    emit removed(kept->spec.name);
}

void HostStore::setState(const QString &name, const LinkState &state)
{
    HostData *host = at(name);
    if (!host)
        return;
    const bool lost = host->isConnected() && state.phase != LinkState::Phase::Connected;
    host->state = state;
    host->interval = std::max(host->interval, state.interval); // what is shown was asked for in the one before
    if (lost) {
        host->history.addGap(now().toMSecsSinceEpoch());
        host->lastFailure.reset();
    }
    emit changed(name);
}

void HostStore::addSnapshot(const QString &name, const SnapshotPtr &snapshot)
{
    HostData *host = at(name);
    if (!host || !snapshot)
        return;
    host->history.add(*snapshot, host->interval);
    host->interval = host->state.interval;
    host->snapshot = snapshot;
    host->findingsHold = host->findings && stillHolds(*host->findings, *snapshot);
    host->lastFailure.reset();
    emit changed(name);
}

void HostStore::addFindings(const QString &name, const FindingsPtr &findings)
{
    HostData *host = at(name);
    if (!host || !findings)
        return;
    host->findings = findings;
    host->findingsHold = host->snapshot && stillHolds(*findings, *host->snapshot);
    emit changed(name);
}

void HostStore::addMark(const QString &name, const QDateTime &at, const QString &text)
{
    if (HostData *host = this->at(name)) {
        host->history.addMark({at.toMSecsSinceEpoch(), text});
        emit changed(name);
    }
}

void HostStore::addFailure(const QString &name, const Error &error)
{
    HostData *host = at(name);
    if (!host)
        return;
    host->lastFailure = error;
    host->history.addGap(now().toMSecsSinceEpoch());
    emit changed(name);
}

const HostData *HostStore::find(const QString &name) const
{
    return at(name);
}

QStringList HostStore::names() const
{
    QStringList names;
    for (const std::unique_ptr<HostData> &host : m_hosts)
        names << host->spec.name;
    return names;
}

HostData *HostStore::at(const QString &name) const
{
    return m_byName.value(name);
}

} // namespace pilothouse

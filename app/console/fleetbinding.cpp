// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/fleetbinding.h"

#include "ui/window/mainwindow.h"

#include <algorithm>

namespace pilothouse {

FleetBinding::FleetBinding(Fleet &fleet, MainWindow &window, QObject *parent)
    : QObject(parent)
    , m_fleet(fleet)
    , m_window(window)
{
    connect(&window, &MainWindow::hostChosen, this, &FleetBinding::setInView);
    connect(&window, &MainWindow::retryRequested, this, [this](const QString &name) {
        HostLink *link = m_fleet.link(name);
        if (link && link->state().phase == LinkState::Phase::Connected)
            link->renew(); // a person wants to be asked for sudo's password again
        else if (link)
            link->retryNow();
    });
    connect(&fleet, &Fleet::networkTroubleChanged, &window, &MainWindow::setNetworkTrouble);
    connect(&window, &MainWindow::snapshotRequested, this, [this](const QString &name) {
        if (LiveDiagnosis *diagnosis = diagnosisOf(name))
            diagnosis->look(); // who asks wants to know all of it
    });
    connect(&window, &MainWindow::answered, this, [this](const QString &name, const Answer &answer) {
        if (HostLink *link = m_fleet.link(name))
            link->answer(answer);
    });
}

void FleetBinding::addHost(const HostSpec &spec)
{
    m_window.addHost(spec);
    if (m_fleet.link(spec.name))
        return;
    const Result<HostLink *> link = m_fleet.add(spec);
    if (link) {
        bind(*link);
        if (m_window.currentHost() == spec.name)
            setInView(spec.name);
        return;
    }
    showUnusable(spec.name, link.error());
}

void FleetBinding::changeHost(const HostSpec &spec)
{
    const HostLink *before = m_fleet.link(spec.name);
    if (!before) {
        addHost(spec);
        return;
    }
    m_window.addHost(spec);
    const Result<HostLink *> link = m_fleet.change(spec);
    if (!link) {
        showUnusable(spec.name, link.error());
    } else if (*link != before) {
        bind(*link);
        if (m_window.currentHost() == spec.name)
            setInView(spec.name);
    }
}

void FleetBinding::setInView(const QString &name)
{
    m_fleet.setInView(name);
    for (auto at = m_diagnoses.cbegin(); at != m_diagnoses.cend(); ++at) {
        if (*at)
            (*at)->setInView(at.key() == name);
    }
}

void FleetBinding::showUnusable(const QString &name, const Error &error)
{
    LinkState state;
    state.phase = LinkState::Phase::Stopped;
    state.error = error;
    state.since = QDateTime::currentDateTimeUtc();
    m_window.setState(name, state);
}

void FleetBinding::removeHost(const QString &name)
{
    m_fleet.remove(name);
    m_window.removeHost(name);
}

void FleetBinding::bind(HostLink *link)
{
    const QString name = link->spec().name;
    connect(link, &HostLink::stateChanged, this,
            [this, name](const LinkState &state) { m_window.setState(name, state); });
    connect(link, &HostLink::snapshotArrived, this,
            [this, name](const SnapshotPtr &snapshot) { m_window.addSnapshot(name, snapshot); });
    connect(link, &HostLink::snapshotFailed, this,
            [this, name](const Error &error) { m_window.addFailure(name, error); });
    connect(link, &HostLink::questionAsked, this,
            [this, name](const Question &question) { m_window.ask(name, question); });
    auto *diagnosis = new LiveDiagnosis(*link, link);
    m_diagnoses.insert(name, diagnosis);
    connect(diagnosis, &LiveDiagnosis::diagnosed, this,
            [this, name](const FindingsPtr &findings) { m_window.addFindings(name, findings); });
    m_window.setState(name, link->state());
    if (link->latest())
        m_window.addSnapshot(name, link->latest());
}

bool FleetBinding::isSettled() const
{
    using Phase = LinkState::Phase;
    const QStringList names = m_window.store().names();
    return std::ranges::all_of(names, [this](const QString &name) {
        const HostData *host = m_window.store().find(name);
        return host->snapshot || host->lastFailure || host->state.phase == Phase::Retrying
            || host->state.phase == Phase::Stopped;
    });
}

std::optional<Error> FleetBinding::firstFailure() const
{
    for (const QString &name : m_window.store().names()) {
        const HostData *host = m_window.store().find(name);
        if (host->snapshot)
            continue;
        return host->state.error.value_or(host->lastFailure.value_or(Error{ErrorCode::Timeout, {}, {}}));
    }
    return std::nullopt;
}

} // namespace pilothouse

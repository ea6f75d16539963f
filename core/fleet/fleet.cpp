// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/fleet.h"

#include "core/fleet/hosttester.h"
#include "core/fleet/linkenvironment.h"

#include <QElapsedTimer>
#include <QHash>
#include <QRandomGenerator>
#include <QSet>
#include <QTimer>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

QString randomId()
{
    return u"%1"_s.arg(QRandomGenerator::system()->generate64(), 16, 16, QChar(u'0'));
}

} // namespace

class Fleet::Private
{
public:
    FleetSettings settings;
    LinkEnvironment environment;
    std::vector<std::unique_ptr<HostLink>> links;
    QString inView;
    Fleet *q = nullptr;
    NetworkWatch network;
    QHash<QString, LinkState::Phase> phases; ///< as the watch knows them
    QElapsedTimer clock;
    QTimer networkDue;
    QSet<QString> behindJumpHosts; ///< stopped until a person signs in to a jump host

    [[nodiscard]] auto find(const QString &name) const
    {
        return std::ranges::find_if(links, [&](const auto &link) { return link->spec().name == name; });
    }
    /// One click is for all that wait for the same jump host: the first that is through tells the others.
    void follow(const HostLink &link, const LinkState &state)
    {
        const QString name = link.spec().name;
        if (state.waitsForJumpHost)
            behindJumpHosts.insert(name);
        else if (state.phase == LinkState::Phase::Connected && behindJumpHosts.remove(name)) {
            for (const auto &each : links) {
                if (behindJumpHosts.contains(each->spec().name))
                    each->resume();
            }
        }
    }
    [[nodiscard]] NetworkWatch::Time now() const { return NetworkWatch::Time(clock.elapsed()); }
    void watchNetwork(const HostLink &link, const LinkState &state)
    {
        using Phase = LinkState::Phase;
        const QString name = link.spec().name;
        const Phase before = std::exchange(phases[name], state.phase);
        if (before == state.phase) // words, or what the watch itself has ordered
            return;
        const bool retries = state.phase == Phase::Retrying;
        if (state.phase == Phase::Connected)
            obey([&] { return network.connected(name, now()); });
        else if (before == Phase::Connected && (retries || state.phase == Phase::Stopped))
            obey([&] { return network.lost(name, now(), retries, state.onTheWay); });
        else if (before == Phase::Connected) // closed, or anew for a person
            obey([&] { return network.left(name, now()); });
        else if (retries || state.phase == Phase::Stopped)
            obey([&] { return network.failed(name, now(), retries); });
    }
    template <class Event>
    void obey(const Event &event)
    {
        const NetworkTrouble before = network.trouble();
        const NetworkWatch::Orders orders = event();
        for (const QString &name : orders.hold) {
            if (const auto at = find(name); at != links.end())
                (*at)->hold();
        }
        for (const auto &[name, wait] : orders.go) {
            if (const auto at = find(name); at != links.end())
                (*at)->release(wait);
        }
        if (const auto next = network.next())
            networkDue.start(std::max(*next - now(), NetworkWatch::Time(0)));
        else
            networkDue.stop();
        if (network.trouble() != before)
            emit q->networkTroubleChanged(network.trouble());
    }
    void applyCadence(HostLink &link) const
    {
        link.setCadence(link.spec().name == inView ? settings.inView : settings.background);
    }
};

Fleet::Fleet(FleetSettings settings, LinkEnvironment environment, QObject *parent)
    : QObject(parent)
    , d(std::make_unique<Private>())
{
    d->settings = std::move(settings);
    if (d->settings.consoleId.isEmpty())
        d->settings.consoleId = randomId();
    if (!d->settings.end)
        d->settings.end = std::make_shared<ProgramEnd>();
    d->environment = std::move(environment);
    d->network = NetworkWatch(d->environment.network);
    d->q = this;
    d->clock.start();
    d->networkDue.setSingleShot(true);
    connect(&d->networkDue, &QTimer::timeout, this,
            [this] { d->obey([this] { return d->network.due(d->now()); }); });
}

Fleet::~Fleet()
{
    d->links.clear();
    if (!d->environment.threads->waitForEnd(d->settings.end->threadLimit()))
        d->settings.end->threadLeft();
}

Result<HostLink *> Fleet::add(const HostSpec &host)
{
    if (HostLink *there = link(host.name))
        return there;
    const auto settings = linkSettingsFor(host, d->settings);
    if (!settings)
        return fail(settings.error());
    d->links.push_back(
        std::make_unique<HostLink>(host, settings->connection, settings->probe, d->environment));
    HostLink *added = d->links.back().get();
    d->applyCadence(*added);
    connect(added, &HostLink::stateChanged, this, [this, added](const LinkState &state) {
        d->follow(*added, state);
        d->watchNetwork(*added, state);
    });
    added->setDeepThreshold(host.thresholdMib);
    emit hostAdded(added);
    added->open();
    return added;
}

const NetworkTrouble &Fleet::networkTrouble() const
{
    return d->network.trouble();
}

void Fleet::remove(const QString &name)
{
    const auto at = d->find(name);
    if (at == d->links.end())
        return;
    const auto position = at - d->links.begin();
    const std::unique_ptr<HostLink> removed = std::move(d->links[size_t(position)]);
    d->links.erase(d->links.begin() + position);
    d->behindJumpHosts.remove(removed->spec().name);
    d->phases.remove(removed->spec().name);
    d->obey([&] { return d->network.left(removed->spec().name, d->now()); });
    emit hostRemoved(removed->spec().name); // the link is still there for whoever looks at it now
}

Result<HostLink *> Fleet::change(const HostSpec &host)
{
    HostLink *known = link(host.name);
    if (!known)
        return add(host);
    const auto before = linkSettingsFor(known->spec(), d->settings);
    const auto after = linkSettingsFor(host, d->settings);
    const bool sameWay = before && after && before->connection.target == after->connection.target
        && before->probe.sudo == after->probe.sudo;
    if (!sameWay) {
        remove(host.name);
        return add(host);
    }
    known->setSpec(host, after->probe);
    return known;
}

HostLink *Fleet::link(const QString &name) const
{
    const auto at = d->find(name);
    return at == d->links.end() ? nullptr : at->get();
}

std::vector<HostLink *> Fleet::links() const
{
    std::vector<HostLink *> all;
    all.reserve(d->links.size());
    for (const auto &link : d->links)
        all.push_back(link.get());
    return all;
}

Result<std::unique_ptr<HostTester>> Fleet::test(const HostSpec &host) const
{
    auto settings = linkSettingsFor(host, d->settings);
    if (!settings)
        return fail(settings.error());
    return std::make_unique<HostTester>(*settings, *d->environment.threads);
}

void Fleet::setInView(const QString &name)
{
    const QString before = std::exchange(d->inView, name);
    for (const QString &changed : {before, name}) {
        if (HostLink *other = link(changed))
            d->applyCadence(*other);
    }
}

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Where a service answers, and what it should serve: from the inventory, from the command line of its unit's processes,
// and from the ports that they listen on. Pure, any thread.

#include "core/base/http.h"
#include "core/host/snapshot.h"
#include "core/serving/engine.h"

namespace pilothouse {

/// What the inventory or a command line of ours says of a service; all but the unit may be empty.
struct ServiceWish
{
    QString unit;
    bool userUnit = false;
    QString health; ///< a URL, seen from the host; or "unix:/run/x.sock", with the path behind a blank
    QString model;

    friend bool operator==(const ServiceWish &, const ServiceWish &) = default;
};

struct Endpoint
{
    Engine engine = Engine::Unknown;
    bool tls = false;
    QString address;        ///< to connect to, from the host
    quint16 port = 0;
    QString socket;         ///< UNIX socket in place of both
    QByteArray health;
    QByteArray models;      ///< empty: cannot be asked
    QByteArray metrics;     ///< empty: has none
    quint16 metricsPort = 0; ///< 0: the same
    QString model;          ///< expected; empty: nobody says
    bool modelIsWished = false; ///< by a person, not read from the command line
    bool keyNeeded = false; ///< started with an API key
    bool portIsSaid = false; ///< by inventory or command line; otherwise the engine's habit, or what it listens on
    bool healthIsWished = false; ///< a person says where to ask, which may be somebody in front of it

    [[nodiscard]] bool isKnown() const { return port != 0 || !socket.isEmpty(); }
    [[nodiscard]] HttpRequest ask(const QByteArray &path) const;
    /// With the limits that metrics want.
    [[nodiscard]] HttpRequest askMetrics() const;

    friend bool operator==(const Endpoint &, const Endpoint &) = default;
};

/// Rows of the snapshot's processes that are of the unit. No list: empty.
[[nodiscard]] QList<Process> membersOf(const Snapshot &snapshot, const QString &unit, bool userUnit);

/// Of a command line alone. The engine is what the rules of core/diagnosis recognise.
[[nodiscard]] Endpoint endpointOfCommand(const Process &process);
[[nodiscard]] Endpoint endpointOf(const ServiceWish &wish, const Snapshot &snapshot);

/// Who listens at it. No value: the ports could not be read, or it is a UNIX socket.
struct PortOwner
{
    bool listens = false;
    Quantity<qint64> pid;
    bool isOfUnit = false;
    QString name; ///< of the process, cleaned; empty: the snapshot does not have it
};
[[nodiscard]] std::optional<PortOwner> ownerOf(const Endpoint &endpoint, const ServiceWish &wish,
                                               const Snapshot &snapshot);

} // namespace pilothouse

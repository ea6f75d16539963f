// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/probe/assembleparts.h"
#include "core/base/cleantext.h"
#include "core/probe/parse/procfiles.h"
#include "core/probe/parse/procnet.h"

#include <QRegularExpression>

#include <algorithm>

namespace pilothouse {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype mostPeers = 64; // of one process

/// Who is connected with whom, by network.
class Connections
{
public:
    explicit Connections(const HostAnswer &answer)
    {
        for (auto table = answer.connections.cbegin(); table != answer.connections.cend(); ++table) {
            Network &network = m_networks[table.key()];
            for (const EstablishedTcp &connection : parseConnections(*table)) {
                network.bySocket.insert(connection.inode, connection);
                network.own.insert(connection.local.address);
                m_ways.insert(wayOf(connection.local, connection.remote));
            }
        }
    }

    /// The far ends of its connections that are not on this host. No value: cannot be told.
    [[nodiscard]] std::optional<QStringList> peersOf(const RawProcess &process) const
    {
        const auto network = m_networks.constFind(process.network);
        if (!process.ends || network == m_networks.cend())
            return std::nullopt;
        QStringList peers;
        for (const RawDescriptor &end : *process.ends) {
            const auto connection = network->bySocket.constFind(end.inode);
            if (end.pipe || connection == network->bySocket.cend() || isHere(*connection, *network))
                continue;
            const QString peer = textOf(connection->remote);
            if (!peers.contains(peer) && peers.size() < mostPeers)
                peers += peer;
        }
        peers.sort();
        return peers;
    }

private:
    struct Network
    {
        QHash<quint64, EstablishedTcp> bySocket;
        QSet<QString> own; ///< addresses of this host that are in use there
    };

    static QString wayOf(const SocketEnd &from, const SocketEnd &to) { return textOf(from) + u' ' + textOf(to); }

    /// Ranks of one host speak through its outward address too: that one is somebody's near end here, and between two
    /// networks of this host the same connection stands in the other's list, turned round.
    [[nodiscard]] bool isHere(const EstablishedTcp &connection, const Network &network) const
    {
        return isLoopback(connection.remote) || network.own.contains(connection.remote.address)
            || m_ways.contains(wayOf(connection.remote, connection.local));
    }

    QHash<QByteArray, Network> m_networks;
    QSet<QString> m_ways;
};

/// The descriptor that a Python resource tracker reads, from its command line.
std::optional<int> trackedBy(const QStringList &arguments)
{
    static const QRegularExpression code(u"^from [\\w.]+\\.(?:resource|semaphore)_tracker import main; ?main\\((\\d{1,9})\\b"_s);
    const qsizetype at = arguments.indexOf(u"-c"_s);
    const auto found = at < 0 ? QRegularExpressionMatch() : code.match(arguments.value(at + 1));
    return found.hasMatch() ? std::optional(found.captured(1).toInt()) : std::nullopt;
}

/// Who else holds an end of a tracker's pipe is a relative of it. Of one user only: titles are evidence, not proof.
class TrackerPipes
{
public:
    void learn(const RawProcess &raw, const Process &process)
    {
        const auto fd = trackedBy(process.arguments);
        if (!fd || !raw.ends || !process.uid.isKnown())
            return;
        for (const RawDescriptor &end : *raw.ends) {
            if (end.pipe && end.fd == *fd)
                m_users.insert(end.inode, process.uid.value());
        }
    }

    [[nodiscard]] std::optional<QList<quint64>> of(const RawProcess &raw) const
    {
        if (!raw.ends)
            return std::nullopt;
        QList<quint64> inodes;
        for (const RawDescriptor &end : *raw.ends) {
            if (end.pipe && m_users.value(end.inode, -1) == raw.uid && raw.uid >= 0 && !inodes.contains(end.inode))
                inodes += end.inode;
        }
        std::ranges::sort(inodes);
        return inodes;
    }

private:
    QHash<quint64, qint64> m_users; ///< of each pipe's tracker
};

} // namespace

void assembleFacts(AssembleContext &c)
{
    if (c.answer.depth != Depth::Deep || !c.snapshot.processes || !c.answer.processes)
        return;
    QHash<qint64, Process *> processes;
    for (Process &process : *c.snapshot.processes) {
        if (process.state) // a PID that only the driver knows is nobody here
            processes.insert(process.pid.value, &process);
    }
    const Connections connections(c.answer);
    TrackerPipes pipes;
    for (const RawProcess &raw : *c.answer.processes) {
        if (const Process *process = processes.value(raw.pid))
            pipes.learn(raw, *process);
    }
    for (const RawProcess &raw : *c.answer.processes) {
        Process *process = processes.value(raw.pid);
        if (!process)
            continue;
        const ProcStatus status = parseProcStatus(raw.status);
        process->deep = {pipes.of(raw), {}, connections.peersOf(raw), status.killPending, status.waitsIn, status.lockedKib};
        const auto parent = c.answer.names.constFind(process->ppid.valueOr(0));
        if (parent != c.answer.names.cend())
            process->deep.parentName = cleanLine(*parent, 64);
    }
}

} // namespace pilothouse

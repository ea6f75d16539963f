// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// What `ssh -G` said before, valid while no file of the configuration changes, and how many of it may run at once.
// Made once by the composition and shared by all connections; any thread. Reads files, may block briefly.

#include "core/ssh/jump/handshakegate.h"
#include "core/ssh/resolvedhost.h"

#include <QHash>

#include <memory>
#include <mutex>
#include <optional>

namespace pilothouse {

class SshConfigCache final
{
public:
    /// `runsAtOnce`: more of them only take the processors from each other, and from the window.
    explicit SshConfigCache(int runsAtOnce = 2);

    /// Name, times, size and inode of each file that ssh would read now; empty where the answer depends on more than
    /// files (Match exec, canonical names) and is not to be kept. The files are read when the first stamp is asked for
    /// and when one of them has changed, else only looked at.
    [[nodiscard]] QByteArray stampOf(const QString &configFile);

    /// `key` is all that ssh is told. An entry with another stamp does not count.
    [[nodiscard]] std::optional<ResolvedHost> find(const QString &key, const QByteArray &stamp) const;
    void store(const QString &key, const QByteArray &stamp, ResolvedHost host);

    /// A place for one `ssh -G`. As HandshakeGate::enter().
    [[nodiscard]] std::unique_ptr<HandshakeGate::Ticket> enter(std::function<void()> granted);

private:
    struct Files
    {
        QStringList named;    ///< read, or to be read if they were there
        QStringList patterns; ///< of Include
        QByteArray seen;      ///< what they looked like before and after they were read
        bool dependsOnMore = false;
    };
    struct Entry
    {
        QByteArray stamp;
        ResolvedHost host;
    };

    mutable std::mutex m_mutex;
    QHash<QString, Entry> m_entries;
    std::mutex m_filesMutex; ///< who comes while the files are read waits for that
    QHash<QString, Files> m_files; ///< by -F
    HandshakeGate m_gate;
};

} // namespace pilothouse

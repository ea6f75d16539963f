// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Our own reader of known_hosts files: what OpenSSH accepts, and what libssh ignores (@revoked,
// several files, HostKeyAlias). The check is pure, any thread; loading and appending touch the file
// system and may block briefly.

#include "core/base/result.h"

#include <QByteArray>
#include <QList>
#include <QStringList>

#include <optional>

namespace pilothouse {

/// A public host key: `type` as inside the blob ("ssh-rsa", "ssh-ed25519"), `blob` as on the wire
/// (RFC 4253, 6.6).
struct HostKey
{
    QString type;
    QByteArray blob;

    /// From the wire form alone; the type is read from it. Empty when the blob is no key.
    [[nodiscard]] static std::optional<HostKey> fromBlob(const QByteArray &blob);
    /// "SHA256:" and base64 without padding, as `ssh-keygen -l` prints.
    [[nodiscard]] QString fingerprint() const;
    /// Short name for people: "ED25519", "RSA", "ECDSA".
    [[nodiscard]] QString typeName() const;

    friend bool operator==(const HostKey &, const HostKey &) = default;
};

/// One file as read. A file that does not exist has no content.
struct KnownHostsFile
{
    QString path;
    QByteArray content;
};

/// Who is looked up. With an alias (HostKeyAlias) host and port do not matter.
struct KnownHostsName
{
    QString host; ///< HostName as resolved, not an address found in DNS
    quint16 port = 22;
    QString alias; ///< empty: none

    /// As it stands in the file: lower case, "[host]:port" for another port than 22.
    [[nodiscard]] QString text() const;
};

struct KnownHostsEntry
{
    HostKey key;
    QString file;
    int line = 0; ///< from 1
};

struct KnownHostsVerdict
{
    enum class Kind {
        Known,
        Unknown, ///< no key of this host is known
        Changed, ///< another key of the same type is known
        OtherTypes, ///< only keys of other types are known; OpenSSH calls it changed too
        Revoked, ///< a @revoked line names this key, whatever the other lines say
    };
    Kind kind = Kind::Unknown;
    QString file; ///< of the line that decided; empty when Unknown
    int line = 0;
    QList<KnownHostsEntry> known; ///< the keys known for this name, in the order of the files
    bool certAuthorityOnly = false; ///< Unknown, but a @cert-authority line names the host
    bool matchedWithoutPort = false; ///< Known by a line without port, as OpenSSH accepts it
    int unreadableLines = 0; ///< lines of these files that are no entry at all
};

/// Errors: LocalIo (unreadable, a directory or pipe, over 16 MiB). A missing file is empty: no
/// error.
[[nodiscard]] Result<KnownHostsFile> loadKnownHosts(const QString &path);
/// All of `paths`; the first error wins.
[[nodiscard]] Result<QList<KnownHostsFile>> loadKnownHosts(const QStringList &paths);

[[nodiscard]] KnownHostsVerdict checkHostKey(const QList<KnownHostsFile> &files,
                                             const KnownHostsName &name, const HostKey &key);

/// The key types known and not revoked for `name`, in order of the files, without repetition. With
/// a port that has no entry of its own: the types of the plain name.
[[nodiscard]] QStringList knownKeyTypes(const QList<KnownHostsFile> &files,
                                        const KnownHostsName &name);

/// The host key algorithms to ask the server for: of `allowed` (comma separated, from the
/// configuration), those of known types first, the rest after; certificate algorithms left out,
/// ssh-rsa as its SHA-2 signatures.
[[nodiscard]] QStringList hostKeyAlgorithmOrder(const QString &allowed,
                                                const QStringList &knownTypes);

/// Why a connection with this verdict ends: HostKeyRevoked, or HostKeyChanged with both
/// fingerprints, file and line. Empty for Known and Unknown. `shownName` is what the person knows
/// the host by.
[[nodiscard]] std::optional<Error> hostKeyRefusal(const KnownHostsVerdict &verdict,
                                                  const HostKey &offered, const QString &shownName);

/// A sentence for the question about an unknown key; empty when there is nothing to add.
[[nodiscard]] QString hostKeyNote(const KnownHostsVerdict &verdict);

/// The line that is stored, without line feed. `hashed`: with a fresh salt, as HashKnownHosts asks.
[[nodiscard]] QByteArray knownHostsLine(const KnownHostsName &name, const HostKey &key,
                                        bool hashed);

/// Appends one line (O_APPEND, one write). Makes the folder (0700) and the file (0600) when
/// missing, and ends an unfinished last line first. Errors: LocalIo.
[[nodiscard]] Result<void> appendKnownHost(const QString &path, const KnownHostsName &name,
                                           const HostKey &key, bool hashed);

} // namespace pilothouse

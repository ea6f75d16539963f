// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Which keys and certificates are offered to a server, and in which order: servers count attempts, and the order is
// ssh's: certificates, the agent's keys that the configuration names, its other keys, keys of files alone. Reads key
// files; no state, any thread.

#include "core/ssh/agentprotocol.h"
#include "core/ssh/connectionsettings.h"
#include "core/ssh/libsshapi.h"
#include "core/ssh/resolvedhost.h"

#include <QList>

namespace pilothouse {

struct KeyOffer
{
    QByteArray blob;         ///< what the server is shown; empty: known only once the private key is open
    QString name;            ///< for people, cleaned
    QByteArray agentKey;     ///< the agent's key that signs; empty: the one in keyFile does
    QString keyFile;
    QString certificateFile; ///< empty: the bare key, or a certificate that the agent holds
};

/// `agent` is what the agent lists; empty without one.
[[nodiscard]] QList<KeyOffer> keyOffers(LibsshApi &api, const ResolvedHost &host, const ConnectionSettings &settings,
                                        const QList<AgentKey> &agent);

/// The public half of a key file: of path.pub, or of the file itself where its format shows it. Empty: not without the
/// passphrase, or no key at all.
[[nodiscard]] QByteArray publicBlobOfFile(LibsshApi &api, const QString &path);
/// The wire form of a key; empty on error.
[[nodiscard]] QByteArray blobOfKey(LibsshApi &api, ssh_key key);
/// The key's type: "ssh-ed25519". Empty when it is none.
[[nodiscard]] QByteArray typeOfBlob(QByteArrayView blob);
/// True when the certificate is for that key. (libssh compares no key with a certificate.)
[[nodiscard]] bool certifies(QByteArrayView certificate, QByteArrayView key);

} // namespace pilothouse

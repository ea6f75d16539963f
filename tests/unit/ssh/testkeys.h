// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Composed public keys for tests: right in form, belonging to nobody.

#include "core/ssh/knownhosts.h"

#include <QtEndian>

namespace pilothouse::test {

inline QByteArray wireString(const QByteArray &bytes)
{
    QByteArray wire(4, '\0');
    qToBigEndian(quint32(bytes.size()), wire.data());
    return wire + bytes;
}

inline HostKey ed25519Key(char fill)
{
    const QByteArray type = "ssh-ed25519";
    return HostKey{QString::fromLatin1(type), wireString(type) + wireString(QByteArray(32, fill))};
}

inline HostKey rsaKey(char fill)
{
    const QByteArray type = "ssh-rsa";
    return HostKey{QString::fromLatin1(type), wireString(type)
                                                  + wireString(QByteArray("\x01\x00\x01", 3))
                                                  + wireString(QByteArray(257, fill))};
}

inline HostKey ecdsaKey(char fill)
{
    const QByteArray type = "ecdsa-sha2-nistp256";
    return HostKey{QString::fromLatin1(type),
                   wireString(type) + wireString("nistp256") + wireString(QByteArray(65, fill))};
}

/// "type base64"
inline QByteArray keyText(const HostKey &key)
{
    return key.type.toLatin1() + ' ' + key.blob.toBase64();
}

} // namespace pilothouse::test

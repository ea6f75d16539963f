// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// Wiping of what a person typed. Overwrites the shared buffer itself, so that implicit copies are wiped too. Any
// thread that alone holds the value.

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <cstring>

namespace pilothouse {

inline void wipe(QByteArray &secret)
{
    // Without a header it is a literal or somebody's raw bytes: not ours to write, maybe not even writable.
    // Not data(): that would detach and leave the original as it was.
    if (secret.data_ptr().d_ptr())
        explicit_bzero(const_cast<char *>(secret.constData()), static_cast<std::size_t>(secret.size()));
    secret.clear();
}

inline void wipe(QString &secret)
{
    if (secret.data_ptr().d_ptr())
        explicit_bzero(const_cast<QChar *>(secret.constData()),
                       static_cast<std::size_t>(secret.size()) * sizeof(QChar));
    secret.clear();
}

inline void wipe(QStringList &secrets)
{
    for (QString &secret : secrets)
        wipe(secret);
    secrets.clear();
}

} // namespace pilothouse

// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// /proc/net/tcp and tcp6.
#include "core/probe/parse/procnet.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    for (const ListeningSocket &socket : parseListening(QByteArrayView(data, qsizetype(size)))) {
        if (socket.address.size() < 2 || socket.address.size() > 45)
            std::abort();
    }
    for (const EstablishedTcp &connection : parseConnections(QByteArrayView(data, qsizetype(size)))) {
        if (textOf(connection.remote).size() > 53 || connection.local.address.startsWith(QLatin1String("::ffff:1.")))
            std::abort();
    }
    return 0;
}

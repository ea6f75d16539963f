// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// /proc/PID/cgroup, and paths to owners.
#include "core/probe/parse/cgroup.h"

#include <cstdlib>

using namespace pilothouse;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const QByteArray bytes(reinterpret_cast<const char *>(data), qsizetype(size));
    (void)ownerOf(cgroupPathOf(bytes));
    (void)ownerOf(QString::fromUtf8(bytes));
    // Below a container's boundary nothing is a unit of the host.
    const QString inner = cgroupPathOf(QByteArray("0::/" + bytes));
    const Owner owner = ownerOf(QStringLiteral("/lxc.payload.web") + inner);
    if (owner.kind == Owner::Kind::Unit || owner.kind == Owner::Kind::UserUnit || owner.kind == Owner::Kind::Session)
        std::abort();
    return 0;
}

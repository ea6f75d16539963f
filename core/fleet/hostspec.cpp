// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/fleet/hostspec.h"

#include "core/base/cleantext.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

const QStringList &accessWords()
{
    static const QStringList words{u"read-only"_s, u"confirm"_s, u"normal"_s};
    return words;
}

const QStringList &sudoWords()
{
    static const QStringList words{u"never"_s, u"nopasswd"_s, u"ask"_s};
    return words;
}

QString wordOf(Access access)
{
    return accessWords().value(int(access));
}

QString wordOf(SudoPolicy sudo)
{
    return sudoWords().value(int(sudo));
}

QString wordOf(HostOrigin origin)
{
    switch (origin) {
    case HostOrigin::Typed: return u"typed"_s;
    case HostOrigin::OwnFile: return u"own"_s;
    case HostOrigin::Included: return u"include"_s;
    case HostOrigin::Imported: return u"import"_s;
    }
    return {};
}

bool isReadOnly(HostOrigin origin)
{
    return origin == HostOrigin::Included || origin == HostOrigin::Imported;
}

QString readOnlyReason(const HostSpec &host)
{
    if (!isReadOnly(host.origin))
        return {};
    const QString how = host.origin == HostOrigin::Included
        ? u"a file that hosts.toml includes; it is changed there by whoever keeps that file."_s
        : u"which an import wrote; the next import of the same source writes it anew."_s;
    return u"\"%1\" stands in %2, %3"_s.arg(cleanLine(host.name), cleanLine(host.source), how);
}

} // namespace pilothouse

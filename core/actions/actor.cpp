// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/actions/actor.h"

#include "core/audit/consoleid.h"
#include "core/base/statefolder.h"

namespace pilothouse {

Result<Actor> actorHere(const QString &folder, const QString &hostName)
{
    const auto made = makeStateFolder(folder);
    if (!made)
        return fail(made.error());
    const auto id = consoleId(*made);
    if (!id)
        return fail(id.error());
    return Actor{*id, personHere(), hostName, *made};
}

} // namespace pilothouse

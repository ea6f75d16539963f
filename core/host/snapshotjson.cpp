// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/host/snapshotjson.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

QJsonObject toJson(const Snapshot &snapshot)
{
    return {{u"schema"_s, 1}, {u"host"_s, snapshot.host}};
}

} // namespace pilothouse

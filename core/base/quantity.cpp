// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/quantity.h"

namespace pilothouse {

using namespace Qt::StringLiterals;

QString nameOf(UnknownReason reason)
{
    switch (reason) {
    case UnknownReason::NotSupported:
        return u"not_supported"_s;
    case UnknownReason::NoPermission:
        return u"no_permission"_s;
    case UnknownReason::Failed:
        return u"failed"_s;
    case UnknownReason::Absent:
        return u"absent"_s;
    case UnknownReason::Unparsable:
        return u"unparsable"_s;
    }
    return {};
}

} // namespace pilothouse

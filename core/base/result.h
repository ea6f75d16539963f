// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The one way to say that something may fail. Any thread. No exceptions of our own.

#include "core/base/error.h"

#include <tl/expected.hpp>

namespace pilothouse {

template <class T>
using Result = tl::expected<T, Error>;

/// Makes the failed branch of a Result: `return fail(ErrorCode::Timeout, u"…"_s);`
[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, QString detail, QString advice = {})
{
    return tl::unexpected<Error>(Error{code, std::move(detail), std::move(advice)});
}

[[nodiscard]] inline tl::unexpected<Error> fail(Error error)
{
    return tl::unexpected<Error>(std::move(error));
}

} // namespace pilothouse

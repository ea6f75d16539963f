// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// How a test function says that this machine cannot run it: with one line of reason, and with CI=true as a failure.

#include <QTest>

namespace pilothouse::test {

[[nodiscard]] inline bool skipsAreFailures()
{
    return qEnvironmentVariable("CI") == QLatin1String("true");
}

} // namespace pilothouse::test

/// `reason` is a `const char *`. Leaves the test function either way.
#define PILOTHOUSE_SKIP(reason)                                                                              \
    do {                                                                                                     \
        if (pilothouse::test::skipsAreFailures())                                                            \
            QFAIL(reason);                                                                                   \
        QSKIP(reason);                                                                                       \
    } while (false)

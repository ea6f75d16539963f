// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// The main of a lab test program: as every test's, but it runs only beside booted hosts.

#include "tests/lab/labhost.h"
#include "tests/support/testmain.h"

#include <cstdio>

#define PILOTHOUSE_LAB_TEST_MAIN(Test)                                                                       \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        if (pilothouse::test::labFolder().isEmpty()) {                                                       \
            std::puts("SKIP: lab tests: run this program through tests/lab/lab");                            \
            return qEnvironmentVariable("CI") == QLatin1String("true") ? 1 : 77;                             \
        }                                                                                                    \
        qputenv("QTEST_FUNCTION_TIMEOUT", "600000");                                                         \
        pilothouse::test::prepare();                                                                         \
        QCoreApplication app(argc, argv);                                                                    \
        Test test;                                                                                           \
        return QTest::qExec(&test, argc, argv);                                                              \
    }

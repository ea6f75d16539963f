// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

// One main for every test program: offscreen, C locale, UTC, standard paths in test mode, and any Qt warning is a
// failure (design H14, models 4.9). Use PILOTHOUSE_TEST_MAIN(TstThing) or PILOTHOUSE_GUI_TEST_MAIN(TstThing).

#include <QCoreApplication>
#include <QLocale>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>

namespace pilothouse::test {

inline void prepare()
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    qputenv("TZ", "UTC");
    QLocale::setDefault(QLocale::c());
    QStandardPaths::setTestModeEnabled(true);
}

} // namespace pilothouse::test

#define PILOTHOUSE_TEST_MAIN(Test)                                                                           \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        pilothouse::test::prepare();                                                                         \
        QCoreApplication app(argc, argv);                                                                    \
        Test test;                                                                                           \
        return QTest::qExec(&test, argc, argv);                                                              \
    }

#define PILOTHOUSE_GUI_TEST_MAIN(Test)                                                                       \
    int main(int argc, char **argv)                                                                          \
    {                                                                                                        \
        pilothouse::test::prepare();                                                                         \
        QApplication app(argc, argv);                                                                        \
        Test test;                                                                                           \
        return QTest::qExec(&test, argc, argv);                                                              \
    }

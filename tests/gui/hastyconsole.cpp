// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// pilothouse that waits for no thread: each one is left behind.
#include "app/console/program.h"

int main(int argc, char **argv)
{
    return pilothouse::runProgram(argc, argv, std::chrono::seconds(0));
}

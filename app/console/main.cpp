// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/console/program.h"

int main(int argc, char **argv)
{
    return pilothouse::runProgram(argc, argv, std::chrono::seconds(2));
}

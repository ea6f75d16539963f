// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/ctl/program.h"

int main(int argc, char **argv)
{
    return pilothouse::runProgram(argc, argv, std::chrono::seconds(2));
}

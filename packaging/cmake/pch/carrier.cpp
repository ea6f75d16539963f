// SPDX-FileCopyrightText: Pilothouse contributors
// SPDX-License-Identifier: GPL-3.0-or-later
// What carries a precompiled header for others; never run.
int main()
{
    return 0;
}

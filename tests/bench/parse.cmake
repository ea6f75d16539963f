# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# What the console itself spends on a snapshot: parsing, joining, JSON. Run by hand or by the long tests.
pilothouse_program(bench_parse SOURCES bench_parse.cpp LINKS Pilothouse::assemble)

# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
pilothouse_fuzzer(fuzz_journal CORPUS journal SOURCES fuzz_journal.cpp LINKS Pilothouse::workflow)

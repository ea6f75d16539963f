# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
pilothouse_fuzzer(fuzz_unittext CORPUS unittext SOURCES fuzz_unittext.cpp LINKS Pilothouse::units)

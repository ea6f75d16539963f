# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
pilothouse_fuzzer(fuzz_diagnosis CORPUS diagnosis SOURCES fuzz_diagnosis.cpp LINKS Pilothouse::diagnosis)

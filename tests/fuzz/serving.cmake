# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
pilothouse_fuzzer(fuzz_metrics CORPUS metrics SOURCES fuzz_metrics.cpp LINKS Pilothouse::serving)

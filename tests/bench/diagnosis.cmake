# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# The diagnosis alone, of a host with many processes.
pilothouse_program(bench_diagnosis SOURCES bench_diagnosis.cpp ../unit/diagnosis/casefile.cpp ../unit/diagnosis/complaints.cpp
    LINKS Pilothouse::diagnosis Pilothouse::parse)

# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
foreach(parser frames records)
    pilothouse_fuzzer(fuzz_${parser} CORPUS ${parser} SOURCES fuzz_${parser}.cpp LINKS Pilothouse::answer)
endforeach()

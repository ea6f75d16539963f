# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# The parsers of core/probe/parse, and assemble over all of them.
foreach(parser smicsv smiapps smimig procstat cgroup systemctl procnet kernellog procfiles assemble)
    pilothouse_fuzzer(fuzz_${parser} CORPUS ${parser} SOURCES fuzz_${parser}.cpp LINKS Pilothouse::assemble)
endforeach()

# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
foreach(parser knownhosts sshconfig sshnames)
    pilothouse_fuzzer(fuzz_${parser} CORPUS ${parser} SOURCES fuzz_${parser}.cpp LINKS Pilothouse::ssh)
endforeach()

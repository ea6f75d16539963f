# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions: against a private sshd on loopback (label ssh).
foreach(test sshshell sshagentsignin)
    pilothouse_test(tst_${test} LABEL ssh TIMEOUT 120 SOURCES sshd/tst_${test}.cpp sshd/sessionwatch.h
        ${CMAKE_SOURCE_DIR}/tests/support/agentprocess.cpp ${CMAKE_SOURCE_DIR}/tests/support/agentprocess.h
        ${CMAKE_SOURCE_DIR}/tests/support/sshdserver.cpp ${CMAKE_SOURCE_DIR}/tests/support/sshdserver.h
        LINKS Pilothouse::ssh Qt6::Network)
endforeach()

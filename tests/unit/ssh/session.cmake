# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions: against a private sshd on loopback (label ssh).
add_library(pilothouse_sshdsupport STATIC
    ${CMAKE_SOURCE_DIR}/tests/support/agentprocess.cpp ${CMAKE_SOURCE_DIR}/tests/support/agentprocess.h
    ${CMAKE_SOURCE_DIR}/tests/support/rudelistener.h
    ${CMAKE_SOURCE_DIR}/tests/support/sshdserver.cpp ${CMAKE_SOURCE_DIR}/tests/support/sshdserver.h
    sshd/sessionwatch.h)
target_link_libraries(pilothouse_sshdsupport PUBLIC Pilothouse::ssh Qt6::Network Qt6::Test PRIVATE pilothouse_options)
foreach(test sshshell sshagentsignin sshconnecting sshhostkey sshkeyfilesignin sshthreads)
    pilothouse_test(tst_${test} LABEL ssh TIMEOUT 120 SOURCES sshd/tst_${test}.cpp LINKS pilothouse_sshdsupport)
endforeach()
foreach(test agentprotocol agentrelay effectivesettings keepalive sessioncore signin sshchannel sshconnector)
    pilothouse_test(tst_${test} LABEL unit SOURCES tst_${test}.cpp LINKS pilothouse_sshdsupport ssh)
endforeach()

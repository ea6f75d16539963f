# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Sessions: against a private sshd on loopback (label ssh).
add_library(pilothouse_sshdsupport STATIC
    ${CMAKE_SOURCE_DIR}/tests/support/agentprocess.cpp ${CMAKE_SOURCE_DIR}/tests/support/agentprocess.h
    ${CMAKE_SOURCE_DIR}/tests/support/askingserver.cpp ${CMAKE_SOURCE_DIR}/tests/support/askingserver.h
    ${CMAKE_SOURCE_DIR}/tests/support/rudelistener.h
    ${CMAKE_SOURCE_DIR}/tests/support/slowagent.cpp ${CMAKE_SOURCE_DIR}/tests/support/slowagent.h
    ${CMAKE_SOURCE_DIR}/tests/support/sshdserver.cpp ${CMAKE_SOURCE_DIR}/tests/support/sshdserver.h
    sshd/jumplab.h sshd/sessionwatch.h)
target_link_libraries(pilothouse_sshdsupport PUBLIC Pilothouse::ssh Qt6::Network Qt6::Test PRIVATE ssh pilothouse_options)
foreach(test sshshell sshagentsignin sshagentwaits sshcertificates sshconnecting sshhostkey sshinteractive sshjump sshjumpfailure sshkeyfilesignin sshproxycommand sshthreads)
    pilothouse_test(tst_${test} LABEL ssh TIMEOUT 120 SOURCES sshd/tst_${test}.cpp LINKS pilothouse_sshdsupport)
endforeach()
pilothouse_test(tst_hosthttp LABEL ssh TIMEOUT 120 SOURCES sshd/tst_hosthttp.cpp LINKS pilothouse_sshdsupport)
pilothouse_test(tst_sshjumpthreads LABEL ssh threads TIMEOUT 180 SOURCES sshd/tst_sshjumpthreads.cpp
    LINKS pilothouse_sshdsupport)
foreach(test agentprotocol effectivesettings forwardchannel keepalive keyoffers sessioncore sshchannel)
    pilothouse_test(tst_${test} LABEL unit SOURCES tst_${test}.cpp LINKS pilothouse_sshdsupport ssh)
endforeach()
# Several threads: these also run under ThreadSanitizer.
foreach(test agentoffer agentrelay signin sshconnector)
    pilothouse_test(tst_${test} LABEL unit threads SOURCES tst_${test}.cpp LINKS pilothouse_sshdsupport ssh)
endforeach()

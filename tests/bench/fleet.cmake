# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Figures of core/fleet and of a whole tick; run by tests/bench/run, not by ctest.
foreach(bench bastion fleet snapshot)
    add_executable(bench_${bench} ${CMAKE_CURRENT_LIST_DIR}/bench_${bench}.cpp)
    target_include_directories(bench_${bench} PRIVATE ${CMAKE_SOURCE_DIR})
    target_compile_definitions(bench_${bench} PRIVATE PILOTHOUSE_BINARY_DIR="${CMAKE_BINARY_DIR}")
    target_link_libraries(bench_${bench} PRIVATE pilothouse_options Pilothouse::fleet Pilothouse::probe Pilothouse::ssh)
    add_dependencies(bench_${bench} pilothouse-simhost pilothouse-simtools)
endforeach()
foreach(bench bastion snapshot)
    target_link_libraries(bench_${bench} PRIVATE pilothouse_sshdsupport)
endforeach()

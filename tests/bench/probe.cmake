# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
add_executable(bench_probe bench_probe.cpp ${CMAKE_SOURCE_DIR}/core/ssh/remoteshell.h)
pilothouse_moc(bench_probe)
target_include_directories(bench_probe PRIVATE ${CMAKE_SOURCE_DIR})
target_link_libraries(bench_probe PRIVATE pilothouse_options Pilothouse::probe Qt6::Test)
target_compile_definitions(bench_probe PRIVATE PILOTHOUSE_SLEEPER="$<TARGET_FILE:pilothouse_sleeper>")
add_dependencies(bench_probe pilothouse_sleeper)

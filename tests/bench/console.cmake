# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Start of the console to its first painted window, offscreen, while no host answers; its frames while aliases are
# resolved.
if(PILOTHOUSE_GUI)
    pilothouse_program(bench_console SOURCES bench_console.cpp LINKS Qt6::Network)
    target_compile_definitions(bench_console PRIVATE PILOTHOUSE_BINARY_DIR="${CMAKE_BINARY_DIR}")
    add_dependencies(bench_console pilothouse)
    pilothouse_program(bench_resolve SOURCES bench_resolve.cpp LINKS Pilothouse::ui_window Pilothouse::ssh)
endif()

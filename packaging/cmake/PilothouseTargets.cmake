# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# One function per kind of target, so that a folder's CMakeLists is a list of files and links.

# pilothouse_library(<name> SOURCES <files> PUBLIC <links> PRIVATE <links>)
# A static library of one folder. <name> is the folder: core/base -> base, linked as Pilothouse::base.
function(pilothouse_library name)
    cmake_parse_arguments(arg "" "" "SOURCES;PUBLIC;PRIVATE" ${ARGN})
    add_library(pilothouse_${name} STATIC ${arg_SOURCES})
    add_library(Pilothouse::${name} ALIAS pilothouse_${name})
    target_include_directories(pilothouse_${name} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(pilothouse_${name} PUBLIC ${arg_PUBLIC} PRIVATE pilothouse_options ${arg_PRIVATE})
endfunction()

# pilothouse_program(<name> SOURCES <files> LINKS <links>)
function(pilothouse_program name)
    cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE PILOTHOUSE_VERSION="${PROJECT_VERSION}")
    target_link_libraries(${name} PRIVATE pilothouse_options ${arg_LINKS})
endfunction()

# pilothouse_test(<tst_name> LABEL <unit|ssh|gui|threads>... SOURCES <files> LINKS <links> [TIMEOUT <seconds>] [SERIAL])
# One QtTest program. Its working data: PILOTHOUSE_TEST_DATA is tests/data, PILOTHOUSE_SOURCE_DIR the tree.
function(pilothouse_test name)
    cmake_parse_arguments(arg "SERIAL" "TIMEOUT" "LABEL;SOURCES;LINKS" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE
        PILOTHOUSE_TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data" PILOTHOUSE_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
        PILOTHOUSE_BINARY_DIR="${CMAKE_BINARY_DIR}")
    target_link_libraries(${name} PRIVATE pilothouse_options Qt6::Test ${arg_LINKS})
    add_test(NAME ${name} COMMAND ${name})
    # tests-unit, tests-ssh …: the programs of a label, for stages that build no more than they run.
    foreach(label IN LISTS arg_LABEL)
        if(NOT TARGET tests-${label})
            add_custom_target(tests-${label})
        endif()
        add_dependencies(tests-${label} ${name})
    endforeach()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${arg_LABEL}" TIMEOUT ${arg_TIMEOUT}
        ENVIRONMENT "QT_QPA_PLATFORM=offscreen;TZ=UTC;LC_ALL=C.UTF-8")
    if(arg_SERIAL)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
endfunction()

# pilothouse_fuzzer(<fuzz_name> CORPUS <folder under tests/fuzz/corpus> SOURCES <files> LINKS <links>)
# With clang and PILOTHOUSE_FUZZERS_ONLY a libFuzzer program; otherwise one that replays the corpus under ctest.
function(pilothouse_fuzzer name)
    cmake_parse_arguments(arg "" "CORPUS" "SOURCES;LINKS" ${ARGN})
    add_executable(${name} ${arg_SOURCES})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE pilothouse_options ${arg_LINKS})
    if(PILOTHOUSE_FUZZERS_ONLY)
        target_compile_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
        target_link_options(${name} PRIVATE -fsanitize=fuzzer,address,undefined)
    else()
        target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.cpp)
        add_test(NAME ${name} COMMAND ${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${arg_CORPUS})
        set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 60)
    endif()
endfunction()

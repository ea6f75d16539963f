# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Compiler settings that every target of the project shares.
add_library(pilothouse_options INTERFACE)
target_compile_features(pilothouse_options INTERFACE cxx_std_20)
target_compile_options(pilothouse_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wold-style-cast
    -Wnon-virtual-dtor -Woverloaded-virtual -Wcast-align -Wimplicit-fallthrough)
if(PILOTHOUSE_WERROR)
    target_compile_options(pilothouse_options INTERFACE -Werror)
endif()
target_compile_definitions(pilothouse_options INTERFACE
    QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_CAST_FROM_BYTEARRAY QT_NO_URL_CAST_FROM_STRING
    QT_NO_NARROWING_CONVERSIONS_IN_CONNECT QT_USE_QSTRINGBUILDER QT_STRICT_ITERATORS QT_NO_FOREACH
    QT_DISABLE_DEPRECATED_BEFORE=0x060400)
if(PILOTHOUSE_SANITIZE)
    string(REPLACE "," ";" sanitizers "${PILOTHOUSE_SANITIZE}")
    foreach(sanitizer IN LISTS sanitizers)
        add_compile_options(-fsanitize=${sanitizer})
        add_link_options(-fsanitize=${sanitizer})
    endforeach()
    add_compile_options(-fno-omit-frame-pointer)
    if("undefined" IN_LIST sanitizers)
        add_compile_options(-fno-sanitize-recover=undefined)
        # GCC's sanitizer instrumentation raises these two without cause in Qt's and libstdc++'s headers.
        add_compile_options($<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized> $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
    endif()
endif()

# One tree for the sanitizers' tests and the fuzzers: what is linked with libFuzzer must be instrumented for it.
if(PILOTHOUSE_LIBFUZZER)
    add_compile_options(-fsanitize=fuzzer-no-link)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# Development only: a compiler cache and a fast linker, where the machine has them.
find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()
find_program(LLD_PROGRAM ld.lld)
if(LLD_PROGRAM)
    add_link_options(-fuse-ld=lld)
endif()

# All programs lie in one folder, so that each finds its siblings in the build tree as it does when installed.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

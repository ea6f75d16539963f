# SPDX-FileCopyrightText: Pilothouse contributors
# SPDX-License-Identifier: GPL-3.0-or-later
# Precompiled headers: reading Qt's headers is two thirds of a build. A header is compiled once per kind (core, ui, test,
# guitest) and used by all targets of that kind; it fits only where optimisation and the macros it asks for are the same.
option(PILOTHOUSE_PCH "Precompile the headers that most files include" ON)

# A carrier is made where it is first used: its sanitizer flags are those of the whole build.
function(pilothouse_pch_carrier kind)
    if(kind MATCHES "test$")
        add_executable(pilothouse_pch_${kind} ${CMAKE_SOURCE_DIR}/packaging/cmake/pch/carrier.cpp)
        pilothouse_test_flags(pilothouse_pch_${kind} ${kind})
    else()
        add_library(pilothouse_pch_${kind} STATIC ${CMAKE_SOURCE_DIR}/packaging/cmake/pch/carrier.cpp)
    endif()
    if(kind STREQUAL ui)
        target_link_libraries(pilothouse_pch_${kind} PRIVATE Qt6::Widgets)
    endif()
    target_link_libraries(pilothouse_pch_${kind} PRIVATE pilothouse_options Qt6::Core tl::expected)
    target_precompile_headers(pilothouse_pch_${kind} PRIVATE ${CMAKE_SOURCE_DIR}/packaging/cmake/pch/${kind}.h)
endfunction()

# pilothouse_use_pch(<target> <core|ui|test|guitest>)
function(pilothouse_use_pch target kind)
    if(NOT PILOTHOUSE_PCH)
        return()
    endif()
    if(NOT TARGET pilothouse_pch_${kind})
        pilothouse_pch_carrier(${kind})
    endif()
    target_precompile_headers(${target} REUSE_FROM pilothouse_pch_${kind})
endfunction()

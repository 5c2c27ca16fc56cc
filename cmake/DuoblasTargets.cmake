# The two kinds of target that every folder defines: a component and a test program.

add_library(duoblas_build_flags INTERFACE)
target_compile_features(duoblas_build_flags INTERFACE cxx_std_20 c_std_11)
target_compile_options(duoblas_build_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion $<$<BOOL:${DUOBLAS_WERROR}>:-Werror>)
# GCC 12 sees overlapping copies in every "text" + string (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(duoblas_build_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
# GCC's manual: with -fsanitize it warns of variables that have their values.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND DUOBLAS_SANITIZED)
  target_compile_options(duoblas_build_flags INTERFACE -Wno-maybe-uninitialized)
endif()
# Of C++, GCC's -Wconversion leaves it out.
target_compile_options(duoblas_build_flags INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>:-Wno-sign-conversion>)
# In each stable sort, libstdc++ before 13 calls what it declares deprecated; Clang 19 reports its own headers.
target_compile_options(duoblas_build_flags INTERFACE
  $<$<COMPILE_LANG_AND_ID:CXX,Clang,AppleClang>:-Wno-deprecated-declarations>)
target_include_directories(duoblas_build_flags INTERFACE
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src" "${PROJECT_SOURCE_DIR}")

set(DUOBLAS_QUICKLY $<$<CONFIG:Release>:-Og>)

# duoblas_precompile(TARGET HEADER...)
# What most files of many targets include, parsed once: TARGET is compiled for nothing else, and others
# name it in target_precompile_headers(... REUSE_FROM). GoogleTest takes 1.5 s of a file, JSON 2 s
# (GCC 12, one core of a Xeon).
function(duoblas_precompile name)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(CONFIGURE OUTPUT "${source}" CONTENT "")
  add_library(${name} OBJECT "${source}")
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

# The standard library's headers were half of what a file of the library takes to compile. The preset
# dev parses them for each file, so that a missing include shows. Compiled for other processors
# (COMPILE_OPTIONS -mavx2), a file cannot use them: SKIP_PRECOMPILE_HEADERS.
set(DUOBLAS_STANDARD_HEADERS)
if(DUOBLAS_COMPILE_TOGETHER)
  set(DUOBLAS_STANDARD_HEADERS
    <algorithm> <array> <atomic> <chrono> <cmath> <complex> <cstdint> <cstring> <exception> <functional>
    <map> <memory> <mutex> <optional> <span> <sstream> <string> <string_view> <utility> <vector>)
  duoblas_precompile(duoblas_component_headers ${DUOBLAS_STANDARD_HEADERS})
  target_link_libraries(duoblas_component_headers PRIVATE duoblas_build_flags)
  set_target_properties(duoblas_component_headers PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  # Others, for code of shared libraries cannot use what was parsed for programs.
  duoblas_precompile(duoblas_tool_headers <nlohmann/json.hpp> ${DUOBLAS_STANDARD_HEADERS})
  target_link_libraries(duoblas_tool_headers PRIVATE duoblas_build_flags nlohmann_json::nlohmann_json)
  target_compile_options(duoblas_tool_headers PRIVATE ${DUOBLAS_QUICKLY})
endif()

# duoblas_use_precompiled(TARGET HEADERS), what duoblas_precompile(HEADERS ...) made
function(duoblas_use_precompiled target headers)
  if(NOT DUOBLAS_COMPILE_TOGETHER)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${headers})
  # GCC 12 takes what was precompiled for our own code, and sees more in "text" + string (above).
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Wno-stringop-overflow;-Wno-array-bounds>)
  endif()
endfunction()

# duoblas_compile_together(TARGET)
# Compiles TARGET's files several at a time: what they include is parsed once, and what templates make
# of it is compiled once. The preset dev compiles each file by itself, so that a missing include shows.
function(duoblas_compile_together target)
  if(DUOBLAS_COMPILE_TOGETHER)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
  endif()
endfunction()

# duoblas_compile_quickly(TARGET)
# For what measures and prints, and does not compute: the tuner, the command and what they are made of.
# Without what only loops gain from, a file is compiled in half the time.
function(duoblas_compile_quickly target)
  target_compile_options(${target} PRIVATE ${DUOBLAS_QUICKLY})
  duoblas_compile_together(${target})
  duoblas_use_precompiled(${target} duoblas_tool_headers)
endfunction()

# duoblas_optimise(FILE...)
# Files of such a target that have loops over matrices or memory.
function(duoblas_optimise)
  set_source_files_properties(${ARGN} PROPERTIES
    COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# duoblas_compile_apart(FILE...)
# Files of the current folder that are compiled by themselves always, for another file of their target
# has a name of theirs in its unnamed namespace. Files with options or definitions of their own are,
# too.
function(duoblas_compile_apart)
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# duoblas_for_wider_vectors(SOURCES NAME LOOPS TABLE FUNCTION VALUE)
# The loops of a header once more for processors that have wider vectors, appended to the list SOURCES:
# FUNCTION_for_avx2<T>() and FUNCTION_for_avx512<T>() return VALUE<T>, a TABLE<T>. NAME.cpp decides which
# are used when they are first needed.
function(duoblas_for_wider_vectors list_of_sources name LOOPS TABLE FUNCTION VALUE)
  if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    return()
  endif()
  set(options_avx2 -mavx2 -mfma)
  set(options_avx512 -mavx512f -mavx512dq -mavx512vl -mavx2 -mfma)
  foreach(PROCESSOR avx2 avx512)
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}_${PROCESSOR}.cpp")
    configure_file("${PROJECT_SOURCE_DIR}/cmake/WiderVectors.cpp.in" "${source}" @ONLY)
    set_source_files_properties("${source}" PROPERTIES
      COMPILE_OPTIONS "$<$<CONFIG:Release>:-O3>;${options_${PROCESSOR}}" SKIP_PRECOMPILE_HEADERS ON)
    list(APPEND ${list_of_sources} "${source}")
  endforeach()
  set_source_files_properties(${name}.cpp PROPERTIES COMPILE_DEFINITIONS DUOBLAS_WIDER_VECTORS)
  set(${list_of_sources} ${${list_of_sources}} PARENT_SCOPE)
endfunction()

# duoblas_component(NAME SOURCES file... [LINK target...])
# One folder of the library as an object library; libduoblas and the programs are made of these.
function(duoblas_component name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINK" ${ARGN})
  add_library(duoblas_${name} OBJECT ${arg_SOURCES})
  set_target_properties(duoblas_${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden C_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(duoblas_${name} PRIVATE duoblas_build_flags ${arg_LINK})
  duoblas_use_precompiled(duoblas_${name} duoblas_component_headers)
  duoblas_compile_together(duoblas_${name})
endfunction()

# duoblas_embed_profiles(FUNCTION file...)
# Writes FUNCTION.cpp to the current binary folder: a function that returns the profiles' texts.
function(duoblas_embed_profiles function)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${function}.cpp")
  add_custom_command(
    OUTPUT "${source}"
    COMMAND "${CMAKE_COMMAND}" "-DOUTPUT=${source}" "-DFUNCTION=${function}" "-DFILES=${ARGN}"
            -P "${PROJECT_SOURCE_DIR}/cmake/EmbedProfiles.cmake"
    DEPENDS ${ARGN} "${PROJECT_SOURCE_DIR}/cmake/EmbedProfiles.cmake"
    COMMENT "Embedding ${function}"
    VERBATIM)
endfunction()

# duoblas_test(NAME SOURCES file... [LINK target...] [LABELS label...] [ENVIRONMENT VAR=value...])
# A GoogleTest program over the library's insides. Labels: unit (no OpenCL), device, package,
# conformance, drop-in. A program of unit tests is one ctest, since starting a process for each test
# took longer than the tests; all others are one ctest per TEST, which keeps devices and failures
# apart.
function(duoblas_test name)
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;LINK;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  if(CMAKE_CROSSCOMPILING)  # tests are run on an emulator
    math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
  endif()
  add_executable(${name} ${arg_SOURCES})
  if(DUOBLAS_SANITIZED)
    target_sources(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/tsan_options.cpp")
  endif()
  target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
  target_link_libraries(${name} PRIVATE duoblas_build_flags duoblas_core GTest::gtest_main
                                        ${arg_LINK})
  target_precompile_headers(${name} REUSE_FROM ${DUOBLAS_TEST_HEADERS})
  if("unit" IN_LIST arg_LABELS)
    add_test(NAME ${name} COMMAND ${name} --gtest_brief=1)
    set_tests_properties(${name} PROPERTIES
      LABELS "${arg_LABELS}" ENVIRONMENT "${arg_ENVIRONMENT}" TIMEOUT ${arg_TIMEOUT})
  else()
    set(properties TIMEOUT ${arg_TIMEOUT} SKIP_RETURN_CODE 77)
    list(LENGTH arg_ENVIRONMENT variables)
    if(variables GREATER 1)
      message(FATAL_ERROR "${name}: only the first of several variables would reach tests that are "
                          "discovered. Set the others in the test.")
    endif()
    # An empty value would be lost on the way, and what follows be taken for it.
    if(arg_ENVIRONMENT)
      list(APPEND properties ENVIRONMENT "${arg_ENVIRONMENT}")
    endif()
    # Cases have names. Their values may be hundreds of bytes, and addresses that change.
    gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES ${properties})
    # Of several labels only the first would reach tests that are discovered. So CTest sets them when it
    # knows the tests. It does not before the program is built.
    set(labels "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
    string(CONCAT content
      "if(@name@_TESTS)\n"
      "  set_tests_properties(\${@name@_TESTS} PROPERTIES LABELS \"@arg_LABELS@\")\n"
      "endif()\n")
    file(CONFIGURE OUTPUT "${labels}" CONTENT "${content}" @ONLY)
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels}")
  endif()
endfunction()

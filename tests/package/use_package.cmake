# Installs the built tree into a folder of its own, then builds and runs the users' programs
# against it: WAY is find_package or pkg_config. They run again without any OpenCL
# platform and without the loader itself: the CPU then gives the answers.
set(prefix "${WORK}/prefix")
file(REMOVE_RECURSE "${WORK}")

function(run_or_fail)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    string(REPLACE ";" " " line "${ARGN}")
    message(FATAL_ERROR "${line}\nended with ${result}:\n${output}")
  endif()
endfunction()

run_or_fail("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")

if(NOT EXISTS "${prefix}/share/doc/duoblas/LICENSE")
  message(FATAL_ERROR "the licence was not installed")
endif()

# Man pages and completion lie where man and the shells look.
if(MANUAL)
  foreach(file man/man1/duoblas.1 man/man1/duoblas-tune.1 bash-completion/completions/duoblas
          zsh/site-functions/_duoblas)
    if(NOT EXISTS "${prefix}/share/${file}")
      message(FATAL_ERROR "share/${file} was not installed")
    endif()
  endforeach()
endif()

# The README's first program is a user's program too.
file(READ "${USERS}/../../README.md" readme)
string(REGEX MATCH "```cpp\n([^`]*)```" found "${readme}")
if(NOT found)
  message(FATAL_ERROR "README.md has no C++ program")
endif()
file(WRITE "${WORK}/readme_user/user.cpp" "${CMAKE_MATCH_1}")
configure_file("${USERS}/cpp_user/CMakeLists.txt" "${WORK}/readme_user/CMakeLists.txt" COPYONLY)
set(source_of_c_user "${USERS}/c_user")
set(source_of_cpp_user "${USERS}/cpp_user")
set(source_of_readme_user "${WORK}/readme_user")

# And so is the page's program in C, which has matrices of its own on a device.
if(WAY STREQUAL "pkg_config")
  file(READ "${USERS}/../../docs/api.md" page)
  string(REGEX MATCH "```c\n(#define CL_TARGET[^`]*)```" found "${page}")
  file(WRITE "${WORK}/api_user/user.c" "${CMAKE_MATCH_1}")
endif()

foreach(user c_user cpp_user readme_user)
  set(source "${source_of_${user}}")
  set(built "${WORK}/built_${user}")
  if(WAY STREQUAL "find_package")
    run_or_fail("${CMAKE_COMMAND}" -S "${source}" -B "${built}" -G Ninja
                "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_C_FLAGS=${C_FLAGS}"
                "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}")
    run_or_fail("${CMAKE_COMMAND}" --build "${built}")
  else()
    file(GLOB_RECURSE pc "${prefix}/*/duoblas.pc")
    get_filename_component(pc_dir "${pc}" DIRECTORY)
    execute_process(
      COMMAND "${CMAKE_COMMAND}" -E env "PKG_CONFIG_PATH=${pc_dir}" "${PKG_CONFIG}" --cflags --libs
              duoblas
      OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags UNIX_COMMAND "${flags}")
    file(MAKE_DIRECTORY "${built}")
    if(user STREQUAL "c_user")
      separate_arguments(own UNIX_COMMAND "${C_FLAGS}")
      run_or_fail("${CC}" -std=c99 ${own} "${WORK}/api_user/user.c" -o "${WORK}/api_user/user"
                  ${flags} -l:libOpenCL.so.1)
      run_or_fail("${CC}" -std=c99 ${own} "${source}/user.c" -o "${built}/user" ${flags})
    else()
      separate_arguments(own UNIX_COMMAND "${CXX_FLAGS}")
      run_or_fail("${CXX}" -std=c++17 ${own} "${source}/user.cpp" -o "${built}/user"
                  ${flags})
    endif()
  endif()

  file(GLOB_RECURSE libraries "${prefix}/*/libduoblas.so")
  get_filename_component(library_dir "${libraries}" DIRECTORY)
  run_or_fail("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${library_dir}" "${built}/user")
  # An empty vendor folder: the loader is there and finds no platform at all.
  file(MAKE_DIRECTORY "${WORK}/no_vendors")
  run_or_fail("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${library_dir}"
              "OCL_ICD_VENDORS=${WORK}/no_vendors" DUOBLAS_STRATEGY=hybrid DUOBLAS_SPLIT=8/16
              "${built}/user")
  # An empty file in the loader's place, which cannot be loaded.
  file(WRITE "${WORK}/no_loader/libOpenCL.so.1" "")
  run_or_fail("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${WORK}/no_loader:${library_dir}"
              DUOBLAS_STRATEGY=hybrid DUOBLAS_SPLIT=8/16 "${built}/user")
endforeach()

if(WAY STREQUAL "pkg_config")
  run_or_fail("${CMAKE_COMMAND}" -E env "LD_LIBRARY_PATH=${library_dir}" "${WORK}/api_user/user")
endif()

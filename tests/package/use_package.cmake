# Installs the built tree into a folder of its own, then builds and runs the users' programs
# against it: WAY is find_package or pkg_config. They run twice, the second time without any
# OpenCL platform: the CPU then gives the answers.
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

foreach(user c_user cpp_user)
  set(built "${WORK}/${user}")
  if(WAY STREQUAL "find_package")
    run_or_fail("${CMAKE_COMMAND}" -S "${USERS}/${user}" -B "${built}" -G Ninja
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
      run_or_fail("${CC}" -std=c99 ${own} "${USERS}/${user}/user.c" -o "${built}/user" ${flags})
    else()
      separate_arguments(own UNIX_COMMAND "${CXX_FLAGS}")
      run_or_fail("${CXX}" -std=c++17 ${own} "${USERS}/${user}/user.cpp" -o "${built}/user"
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
endforeach()

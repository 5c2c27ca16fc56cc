# Finds everything that the build needs, and says which Debian package has what is missing.
# OpenCL's headers are needed here only; libOpenCL.so.1 is opened at run time and never linked.

# duoblas_need(WHAT PACKAGE FOUND): one clear line instead of the finder's own story.
function(duoblas_need what package found)
  if(NOT found)
    message(FATAL_ERROR "DuoBLAS needs ${what}. On Debian: apt-get install ${package}")
  endif()
endfunction()

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

find_package(TBB QUIET)
duoblas_need("oneTBB" libtbb-dev "${TBB_FOUND}")

find_package(nlohmann_json 3 QUIET)
duoblas_need("JSON for Modern C++" nlohmann-json3-dev "${nlohmann_json_FOUND}")

find_package(CLI11 QUIET)
duoblas_need("CLI11" libcli11-dev "${CLI11_FOUND}")

find_package(PkgConfig QUIET)
duoblas_need("pkg-config" pkg-config "${PKG_CONFIG_FOUND}")
pkg_check_modules(hwloc QUIET IMPORTED_TARGET hwloc)
duoblas_need("hwloc" libhwloc-dev "${hwloc_FOUND}")

find_path(DUOBLAS_OPENCL_HEADERS CL/cl.h DOC "Folder that holds CL/cl.h")
duoblas_need("the OpenCL headers" opencl-c-headers "${DUOBLAS_OPENCL_HEADERS}")

if(DUOBLAS_BUILD_TESTS)
  find_package(GTest QUIET)
  duoblas_need("GoogleTest (or -DDUOBLAS_BUILD_TESTS=OFF)" libgtest-dev "${GTest_FOUND}")
  find_package(Python3 QUIET COMPONENTS Interpreter)
  duoblas_need("Python 3 (or -DDUOBLAS_BUILD_TESTS=OFF)" python3 "${Python3_FOUND}")
  include(GoogleTest)
endif()

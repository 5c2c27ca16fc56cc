# Debian packages by CPack, one per component of DuoblasInstall.cmake: scripts/deb.sh.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library dropin development command)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGING_INSTALL_PREFIX "/usr")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
# Copyright, changelog and compressed man pages, which Debian wants in each package.
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian/finish.cmake")
set(CPACK_DUOBLAS_LICENCES "${PROJECT_SOURCE_DIR}/cmake/debian/copyright")
set(CPACK_PACKAGE_VERSION "${PROJECT_VERSION}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
# Who builds packages answers for them: as Debian's own tools take it from the environment. The domain
# .invalid has no mail (RFC 2606).
set(maintainer "Nobody in particular <nobody@duoblas.invalid>")
if(NOT "$ENV{DEBEMAIL}" STREQUAL "")
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
  if("$ENV{DEBFULLNAME}" STREQUAL "")
    set(maintainer "$ENV{DEBEMAIL} <$ENV{DEBEMAIL}>")
  endif()
endif()
if(NOT CPACK_DEBIAN_PACKAGE_MAINTAINER)
  set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${maintainer}")
endif()
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)

# What was built with it is found beside it.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "BLAS on the CPU and the GPU of one machine at once")
# CPack indents the lines.
set(what_it_is "Large matrix products get the CPU, the GPU, or both at the same time,
whichever was measured to be fastest at their shape. The GPU is reached
through OpenCL.

")
set(same "(= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libduoblas0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
# OpenBLAS is opened at run time, and so are OpenCL's loader and its drivers.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS "libopenblas0-pthread")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "opencl-icd")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION
"${what_it_is}This package has the library for programs that are written for it.")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA "${PROJECT_SOURCE_DIR}/cmake/debian/triggers")

set(CPACK_DEBIAN_DROPIN_PACKAGE_NAME libduoblas-blas0)
set(CPACK_DEBIAN_DROPIN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DROPIN_PACKAGE_DEPENDS "libduoblas0 ${same}")
set(CPACK_DEBIAN_DROPIN_DESCRIPTION
"${what_it_is}This package has the names of BLAS level 3, and of LU, Cholesky and QR.
Preloaded into a program that is there already, it gives large calls to the
CPU and the GPU, and leaves others to the program's own BLAS.

It is an alternative of libblas.so.3, which is not chosen by itself.")
set(debian "${PROJECT_BINARY_DIR}/debian")
foreach(script postinst prerm)
  configure_file("${PROJECT_SOURCE_DIR}/cmake/debian/${script}.in" "${debian}/${script}" @ONLY
                 FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
                                  WORLD_READ WORLD_EXECUTE)
endforeach()
set(CPACK_DEBIAN_DROPIN_PACKAGE_CONTROL_EXTRA
    "${debian}/postinst" "${debian}/prerm" "${PROJECT_SOURCE_DIR}/cmake/debian/triggers")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libduoblas-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libduoblas0 ${same}, libduoblas-blas0 ${same}")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION
"${what_it_is}This package has headers for C and C++, and what CMake and pkg-config ask for.")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME duoblas)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libduoblas-blas0 ${same}")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION
"${what_it_is}This package has the command. It says what is missing on this machine, tunes
it, compares CPU and GPU, and runs programs that are there already with their
matrix products on both.")

include(CPack)

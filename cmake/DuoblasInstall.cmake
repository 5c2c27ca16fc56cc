# The installed package: library, headers, command, find_package(duoblas) and pkg-config.
include(CMakePackageConfigHelpers)

set(DUOBLAS_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/duoblas")
set(DUOBLAS_PC_DIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

# Components are packages of Debian (DuoblasPackages.cmake). An installation has them all.
install(TARGETS duoblas EXPORT duoblas-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT library
  NAMELINK_COMPONENT development)
install(TARGETS duoblas_blas EXPORT duoblas-targets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT dropin NAMELINK_COMPONENT development)
if(TARGET duoblas_alternative)
  install(TARGETS duoblas_alternative LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/duoblas"
          COMPONENT dropin NAMELINK_SKIP)
endif()
install(DIRECTORY include/duoblas DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
# Who passes the tree on has to pass the licence on, too. A Debian package has it otherwise.
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT licence)
if(TARGET duoblas_command)
  # The command finds a library that was installed with it wherever both were put.
  install(TARGETS duoblas_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT command)
endif()

install(EXPORT duoblas-targets NAMESPACE duoblas:: DESTINATION "${DUOBLAS_CMAKE_DIR}"
        COMPONENT development)
configure_package_config_file(cmake/duoblas-config.cmake.in
  "${PROJECT_BINARY_DIR}/duoblas-config.cmake" INSTALL_DESTINATION "${DUOBLAS_CMAKE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/duoblas-config-version.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/duoblas-config.cmake"
              "${PROJECT_BINARY_DIR}/duoblas-config-version.cmake"
  DESTINATION "${DUOBLAS_CMAKE_DIR}" COMPONENT development)

# The pkg-config file finds the prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH DUOBLAS_PC_PREFIX "/prefix/${DUOBLAS_PC_DIR}" "/prefix")
string(REGEX REPLACE "/$" "" DUOBLAS_PC_PREFIX "${DUOBLAS_PC_PREFIX}")
foreach(module duoblas duoblas-blas)
  configure_file(cmake/${module}.pc.in "${PROJECT_BINARY_DIR}/${module}.pc" @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${module}.pc" DESTINATION "${DUOBLAS_PC_DIR}"
          COMPONENT development)
endforeach()

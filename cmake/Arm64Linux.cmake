# 64-bit Arm by Debian's cross compiler (g++-aarch64-linux-gnu). DUOBLAS_ARM64_SYSTEM, in the environment, is a folder
# with a Debian of that architecture, which has the libraries (scripts/arm64.sh makes one); without it they are this
# system's own, of multiarch.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
# Tests are run in that system, which has Debian's only.
set(Python3_EXECUTABLE /usr/bin/python3)

# CMake reads this file once more for each trial of the compiler: there, and later, the cache knows the folder.
set(DUOBLAS_ARM64_SYSTEM "$ENV{DUOBLAS_ARM64_SYSTEM}" CACHE PATH "A Debian of 64-bit Arm; empty: this system")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DUOBLAS_ARM64_SYSTEM)
set(ENV{PKG_CONFIG_LIBDIR}
    "${DUOBLAS_ARM64_SYSTEM}/usr/lib/aarch64-linux-gnu/pkgconfig:${DUOBLAS_ARM64_SYSTEM}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${DUOBLAS_ARM64_SYSTEM}")
if(DUOBLAS_ARM64_SYSTEM)
  set(CMAKE_SYSROOT "${DUOBLAS_ARM64_SYSTEM}")
  set(CMAKE_FIND_ROOT_PATH "${DUOBLAS_ARM64_SYSTEM}")
  # The compiler's own C++ library comes from this system, libc and all others from that one.
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
  set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
  set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
endif()
# Programs that run during the build, and tests that are run here. In that system the folder is not there, and the
# emulator looks for libraries where they are.
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L "${DUOBLAS_ARM64_SYSTEM}/")

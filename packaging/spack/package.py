# Spack's recipe of DuoBLAS. UNTESTED: nobody has built with it. From a clone of DuoBLAS, with this folder's
# parent as part of a package repository (packages/duoblas/package.py):
#
#   spack dev-build duoblas@0.2.0
#
# There is no archive to fetch, so it has no `url`.
from spack.package import *


class Duoblas(CMakePackage):
    """BLAS level 3, LU, Cholesky and QR on the CPU and the GPU of one machine at once, by OpenCL."""

    license("Apache-2.0")
    version("0.2.0")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("opencl-c-headers", type="build")
    depends_on("cli11", type="build")
    depends_on("nlohmann-json@3:", type="build")
    depends_on("tbb")
    depends_on("hwloc@2:")
    # Both are opened at run time, and never linked. The GPU's OpenCL driver is the system's.
    depends_on("openblas threads=pthreads ~ilp64", type="run")
    depends_on("ocl-icd", type="run")

    generator("ninja")
    conflicts("%gcc@:11", msg="DuoBLAS is C++20: GCC 12 or newer")
    conflicts("platform=darwin", msg="DuoBLAS runs on Linux only")

    def cmake_args(self):
        return [
            self.define("DUOBLAS_BUILD_TESTS", False),
            self.define("DUOBLAS_BUILD_BENCH", False),
            self.define("DUOBLAS_OPENCL_HEADERS", self.spec["opencl-c-headers"].prefix.include),
        ]

    def setup_run_environment(self, env):
        env.set("DUOBLAS_CPU_BLAS", self.spec["openblas"].libs[0])

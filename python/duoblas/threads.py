"""threadpoolctl and the drop-in: threadpool_info() names both it and the BLAS behind it.

The drop-in takes as many threads as the program's own BLAS is allowed at the time of a call. So a limit on
that one reaches both; one on the drop-in alone is passed to it."""
import ctypes
import os
import re

from duoblas.mapped import mapped_files

A_BLAS = re.compile(r"lib(scipy_)?(openblas|blas|cblas|blis|mkl_rt)")
NAMES = [prefix + "openblas_{}_num_threads" + suffix
         for prefix in ("", "scipy_") for suffix in ("", "64_", "_64_")]


def in_this_namespace(path):
    """Its handle; None: it is the CPU side's, in a link namespace of its own."""
    try:
        return ctypes.CDLL(str(path), mode=os.RTLD_NOLOAD | os.RTLD_LAZY)
    except OSError:
        return None


def blas_files():
    return [path for path in mapped_files() if A_BLAS.match(path.name)]


def functions(verb):
    """openblas_VERB_num_threads of each BLAS that is the program's own."""
    for handle in filter(None, map(in_this_namespace, blas_files())):
        for name in NAMES:
            function = getattr(handle, name.format(verb), None)
            if function is not None:
                yield function
                break


def register():
    try:
        import threadpoolctl
        base, add = threadpoolctl.LibController, threadpoolctl.register
    except (ImportError, AttributeError):
        return  # not installed, or without a registry (before 3.4)

    class DuoblasController(base):
        user_api = "blas"
        internal_api = "duoblas"
        filename_prefixes = ("libduoblas_blas",)
        check_symbols = ("duoblas_dropin_version",)

        def get_num_threads(self):
            return max((get() for get in functions("get")), default=None)

        def set_num_threads(self, num_threads):
            for set_number in functions("set"):
                set_number(num_threads)

        def get_version(self):
            self.dynlib.duoblas_dropin_version.restype = ctypes.c_char_p
            return self.dynlib.duoblas_dropin_version().decode()

        def set_additional_attributes(self):
            files = blas_files()
            self.behind = [str(path) for path in files if in_this_namespace(path)]
            self.own_cpu_blas = [str(path) for path in files if not in_this_namespace(path)]

    add(DuoblasController)

"""The drop-in exports every name of copy, gemv and BLAS level 3, and of what it does of LAPACK, in every form, its
version, the function that tells OpenBLAS when its threads sleep, and nothing else; and it needs the C library only.
Usage: exported_names_test.py NM READELF LIBRARY"""
import subprocess
import sys
import unittest

NM, READELF, LIBRARY = sys.argv[1:4]

ROUTINES = ([t + r for r in ("copy", "gemv", "gemm", "symm", "syrk", "syr2k", "trmm", "trsm") for t in "sdcz"] +
            [t + r for r in ("hemm", "herk", "her2k") for t in "cz"])
LAPACK = ([t + r for r in ("getrf", "potrf", "gesv", "posv", "getrs", "potrs", "getri") for t in "sdcz"] +
          [t + "geqrf" for t in "sdcz"] +
          [t + r for r in ("orgqr", "ormqr") for t in "sd"] + [t + r for r in ("ungqr", "unmqr") for t in "cz"])
FORMS = ("{}_", "{}_64_", "{}64_", "scipy_{}_", "scipy_{}_64_", "scipy_{}64_",
         "cblas_{}", "cblas_{}64_", "cblas_{}_64", "scipy_cblas_{}", "scipy_cblas_{}64_")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class ExportedNames(unittest.TestCase):
    def test_are_those_of_copy_and_gemv_and_level_3_and_lapack_and_the_version(self):
        listing = output(NM, "-D", "--defined-only", LIBRARY).splitlines()
        expected = {form.format(routine) for routine in ROUTINES for form in FORMS}
        expected |= {form.format(routine) for routine in LAPACK for form in FORMS if "cblas" not in form}
        expected |= {"duoblas_dropin_version", "duoblas_dropin_begin", "openblas_thread_timeout"}
        self.assertEqual({line.split()[-1] for line in listing}, expected)

    def test_have_no_versions_so_that_any_blas_can_take_their_place(self):
        self.assertNotIn("@", output(NM, "-D", "--defined-only", LIBRARY))


class Library(unittest.TestCase):
    def test_needs_the_c_library_only(self):
        needed = [line.split("[")[1].rstrip("]") for line in output(READELF, "-d", LIBRARY).splitlines()
                  if "(NEEDED)" in line]
        self.assertEqual([name.split(".")[0] for name in needed], ["libc"])

    def test_does_not_ask_for_the_symbol_at_an_address(self):
        """dladdr() looks at all symbols of a BLAS, so a name's first call took 0.4 ms."""
        self.assertNotIn("dladdr", output(NM, "-D", "--undefined-only", LIBRARY))

    def test_has_one_function_that_runs_when_it_is_loaded(self):
        """That of program_start.c. The start-up files of C programs register one more, or none."""
        sizes = [line.split()[-2] for line in output(READELF, "-d", LIBRARY).splitlines()
                 if "(INIT_ARRAYSZ)" in line]
        self.assertLessEqual(int(sizes[0]), 16)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

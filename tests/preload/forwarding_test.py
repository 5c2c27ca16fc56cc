"""Libraries with the names of BLAS that forward calls to another (libblastrampoline, FlexiBLAS),
before the drop-in and behind it: calls arrive at a BLAS, and do not go round."""
import os
import pathlib
import tempfile
import unittest

from dropin_process import (CALLER, CPU_BLAS, DROPIN, FORCED, LIBRARIES, NEXT, STANDIN, HostTest,
                            run_host)

FORWARDING, SECOND = (str(LIBRARIES / f"libduoblas_{name}forwarding_blas.so")
                      for name in ("", "second_"))
CALLER_OF_FORWARDING = str(LIBRARIES / "libduoblas_caller_of_forwarding.so")
ALTERNATIVE = str(LIBRARIES / "duoblas" / "libblas.so.3")
# Of BLAS and LAPACK, Fortran and CBLAS, integers of 32 and of 64 bits.
FUNCTIONS = ["dgemm_small", "cblas_dgemm_small", "dgemv_small", "dcopy_small", "dgetrf_small",
             "dpotrf_small", "dgemm_64_small", "dgemv_64_small", "scipy_cblas_dgemm64_small"]
RIGHT = [name + " right" for name in FUNCTIONS]


def calls(module):
    return [f"{module}:{name}" for name in FUNCTIONS]


class TheDropInAsBackend(HostTest):
    def check(self, module=CALLER, opened=(f"global:{FORWARDING}",), preload=None,
              says_first=(), **settings):
        settings.setdefault("DUOBLAS_TEST_BACKEND", DROPIN)
        self.expect(*opened, *calls(module), *calls(module), preload=preload,
                    says=[*says_first, *RIGHT * 2], **settings)

    def test_passes_calls_on_to_an_installed_blas_however_it_was_opened(self):
        for backend in (DROPIN, ALTERNATIVE):
            for flags in ("", "global", "deepbind"):
                with self.subTest(backend, flags=flags):
                    self.check(DUOBLAS_TEST_BACKEND=backend, DUOBLAS_TEST_BACKEND_FLAGS=flags)

    def test_passes_calls_on_whatever_was_asked_for(self):
        for settings in ({"DUOBLAS_STRATEGY": "cpu"}, {**FORCED, **STANDIN},
                         {"DUOBLAS_SUMMARY": "1"}):
            with self.subTest(**settings):
                self.check(**settings)

    def test_passes_calls_on_where_a_module_brings_the_library_along(self):
        self.check(CALLER_OF_FORWARDING, opened=())

    def test_is_no_loop_where_it_is_preloaded_too(self):
        self.check(preload=DROPIN)

    def test_is_no_loop_behind_two_libraries_in_a_row(self):
        for preload in (None, DROPIN):
            with self.subTest(preload=preload):
                self.check(DUOBLAS_TEST_BACKEND=SECOND, DUOBLAS_TEST_SECOND_BACKEND=DROPIN,
                           preload=preload)

    def test_serves_threads_that_come_first_together(self):
        names = ["dgemm_small", "dgetrf_small", "dgemm_64_small"]
        for preload in (None, DROPIN):
            with self.subTest(preload=preload):
                self.expect(f"global:{FORWARDING}", *(f"threads:{CALLER}:{name}" for name in names),
                            preload=preload, DUOBLAS_TEST_BACKEND=DROPIN,
                            says=[name + " right" for name in names])

    def test_does_large_products_on_both_sides(self):
        said = self.expect(f"global:{FORWARDING}", CALLER + ":dgemm_large", preload=None,
                           DUOBLAS_TEST_BACKEND=DROPIN, DUOBLAS_VERBOSE="2", **FORCED, **STANDIN,
                           says=["dgemm_large right"])
        self.assertIn("hybrid, gpu", said)

    def test_may_become_it_after_another_one(self):
        """As libblastrampoline does, it calls us before it forwards to us."""
        self.check(opened=(f"global:{FORWARDING}", CALLER + ":dpotrf_small",
                           FORWARDING + ":forward_to_later_backend"),
                   says_first=["dpotrf_small right", "forward_to_later_backend right"],
                   DUOBLAS_TEST_BACKEND=CPU_BLAS, DUOBLAS_TEST_LATER_BACKEND=DROPIN,
                   DUOBLAS_TEST_BACKEND_FLAGS="deepbind")

    def test_computes_by_itself_without_any_blas(self):
        products = [name for name in FUNCTIONS if "getrf" not in name and "potrf" not in name]
        with tempfile.TemporaryDirectory() as folder:
            for name in ("libblas.so.3", CPU_BLAS, "libcblas.so.3"):
                (pathlib.Path(folder) / name).touch()
            found = [name for name in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                       "/usr/lib64", "/usr/lib")
                     if os.path.exists(f"{name}/{CPU_BLAS}")]
            self.expect(f"global:{FORWARDING}", *(f"{CALLER}:{name}" for name in products),
                        preload=None, DUOBLAS_TEST_BACKEND=DROPIN, LD_LIBRARY_PATH=folder,
                        DUOBLAS_CPU_BLAS=f"{found[0]}/{CPU_BLAS}",
                        says=[name + " right" for name in products])


class AForwardingLibraryBehindTheDropIn(HostTest):
    def test_is_the_next_symbol_like_any_other(self):
        ran = run_host(f"global:{FORWARDING}", CALLER + ":dgemm_64_small",
                       DUOBLAS_TEST_BACKEND=NEXT, NEXT_BLAS_SAYS="1")
        self.assertEqual(ran.stdout.splitlines(), ["next_blas dgemm_64_", "dgemm_64_small wrong"],
                         ran.stderr)
        names = [name for name in FUNCTIONS if "64" not in name]
        self.expect(f"global:{FORWARDING}", *(f"{CALLER}:{name}" for name in names),
                    DUOBLAS_TEST_BACKEND=CPU_BLAS, says=[name + " right" for name in names])

    def test_is_found_by_another_whose_backend_we_are(self):
        """Of another family: its own backend is a BLAS."""
        ran = run_host(f"global:{FORWARDING}", "local:" + SECOND, CALLER + ":dgemm_64_small",
                       preload=None, DUOBLAS_TEST_BACKEND=DROPIN, DUOBLAS_TEST_SECOND_BACKEND=NEXT,
                       NEXT_BLAS_SAYS="1")
        self.assertEqual(ran.stdout.splitlines(), ["next_blas dgemm_64_", "dgemm_64_small wrong"],
                         ran.stderr)


if __name__ == "__main__":
    unittest.main()

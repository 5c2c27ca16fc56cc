"""Which definition the drop-in passes a call on to, in every way that programs load a BLAS."""
import os
import pathlib
import shutil
import tempfile
import unittest

from dropin_process import (CALLER, CALLER_OF_NEXT, CPU_BLAS, DROPIN, FORCED, NEXT, PLAIN, HostTest,
                            run_host)


class NextSymbol(HostTest):
    def test_is_that_of_the_programs_own_libraries(self):
        self.expect("global:" + PLAIN, CALLER + ":dgemm_small", says=["dgemm_small right"])

    def test_is_that_of_a_blas_that_the_callers_module_brings_along(self):
        """As Python does: the module and its BLAS are loaded RTLD_LOCAL."""
        ran = run_host(CALLER_OF_NEXT + ":scipy_cblas_dgemm64_small", NEXT_BLAS_SAYS="1")
        self.assertIn("next_blas scipy_cblas_dgemm64_", ran.stdout)

    def test_is_the_callers_own_where_several_are_loaded(self):
        ran = run_host("local:" + PLAIN, CALLER_OF_NEXT + ":dgemm_small", NEXT_BLAS_SAYS="1")
        self.assertIn("next_blas dgemm_", ran.stdout)

    def test_is_that_of_any_loaded_object_where_the_caller_names_none(self):
        self.expect("local:" + PLAIN, CALLER + ":dgemm_small", says=["dgemm_small right"])

    def test_may_have_another_name_of_the_same_convention(self):
        self.expect("local:" + PLAIN, CALLER + ":scipy_dgemm_small",
                    says=["scipy_dgemm_small right"])

    def test_of_gemv_is_found_likewise(self):
        self.expect("local:" + CPU_BLAS, CALLER + ":dgemv_small", CALLER + ":dgemv_large",
                    says=["dgemv_small right", "dgemv_large right"])

    def test_is_that_of_an_installed_blas_where_none_is_loaded(self):
        self.expect(CALLER + ":dgemm_small", says=["dgemm_small right"])

    def test_is_a_name_for_wide_integers_only_for_those(self):
        """No installed BLAS has them: the engine does it, on the CPU."""
        self.expect("local:" + PLAIN, CALLER + ":dgemm_64_small", CALLER + ":dgemm_64_small",
                    CALLER + ":scipy_cblas_dgemm64_small",
                    says=["dgemm_64_small right"] * 2 + ["scipy_cblas_dgemm64_small right"])

    def test_found_later_serves_from_then_on(self):
        ran = run_host(CALLER + ":dgemm_64_small", "local:" + NEXT, CALLER + ":dgemm_64_small",
                       NEXT_BLAS_SAYS="1")
        self.assertEqual(ran.stdout.splitlines(), ["dgemm_64_small right", "next_blas dgemm_64_",
                                                   "dgemm_64_small wrong"], ran.stderr)


class OurselvesAgain(HostTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)

    def tearDown(self):
        self.folder.cleanup()

    def test_a_second_copy_of_the_dropin_is_not_taken_for_a_blas(self):
        copy = self.path / "libduoblas_blas.so.0"
        shutil.copy(DROPIN, copy)
        for settings in ({}, FORCED):
            self.expect("global:" + PLAIN, CALLER + ":dgemm_small", preload=f"{DROPIN} {copy}",
                        says=["dgemm_small right"], **settings)
            self.expect(CALLER + ":dgemm_small", CALLER + ":scipy_dgemm_small",
                        preload=f"{DROPIN} {copy}", **settings,
                        says=["dgemm_small right", "scipy_dgemm_small right"])

    def test_the_dropin_may_be_installed_as_the_systems_blas(self):
        """As with Debian's alternatives: libblas.so.3 is a link to it."""
        (self.path / "libblas.so.3").symlink_to(DROPIN)
        for settings in ({}, FORCED):
            said = self.expect("global:libblas.so.3", CALLER + ":dgemm_small",
                               CALLER + ":dgemm_large", preload=None,
                               LD_LIBRARY_PATH=str(self.path), DUOBLAS_VERBOSE="2", **settings,
                               says=["dgemm_small right", "dgemm_large right"])
            self.assertEqual("hybrid, gpu" in said, settings == FORCED, said)

    def test_a_blas_of_the_engine_that_calls_by_name_does_not_come_back(self):
        """No link namespace is left for a private copy: its cblas_dgemm calls our dgemm_."""
        said = self.expect("namespaces", "global:" + PLAIN, CALLER + ":dgemm_small",
                           "threads:" + CALLER + ":dgemm_small", DUOBLAS_CPU_BLAS=PLAIN,
                           DUOBLAS_VERBOSE="2", **FORCED,
                           says=["namespaces used up: yes", "dgemm_small right",
                                 "dgemm_small right"])
        self.assertIn("hybrid, gpu 3 of 6 rows", said)


class WithoutAnotherBlas(HostTest):
    """Empty files in the places of those that could be loaded."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        for name in ("libblas.so.3", "libopenblas.so.0", "libcblas.so.3"):
            (pathlib.Path(self.folder.name) / name).touch()
        found = [folder for folder in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                       "/usr/lib64", "/usr/lib")
                 if os.path.exists(f"{folder}/{CPU_BLAS}")]
        self.settings = {"LD_LIBRARY_PATH": self.folder.name,
                         "DUOBLAS_CPU_BLAS": f"{found[0]}/{CPU_BLAS}"}

    def tearDown(self):
        self.folder.cleanup()

    def test_the_engine_does_every_call(self):
        self.expect(CALLER + ":dgemm_small", CALLER + ":dgemm_large", CALLER + ":dgemm_64_small",
                    says=["dgemm_small right", "dgemm_large right", "dgemm_64_small right"],
                    **self.settings)

    def test_the_engine_does_every_call_of_gemv(self):
        for settings in ({}, FORCED, {"DUOBLAS_STRATEGY": "cpu"}):
            self.expect(CALLER + ":dgemv_small", CALLER + ":dgemv_large",
                        CALLER + ":dgemv_64_small", CALLER + ":dgemv_empty",
                        "fork:" + CALLER + ":dgemv_large",
                        says=["dgemv_small right", "dgemv_large right", "dgemv_64_small right",
                              "dgemv_empty right", "dgemv_large right"],
                        **self.settings, **settings)

    def test_the_engine_does_a_first_call_at_the_programs_end(self):
        """By then the variables of the main thread are destroyed."""
        self.expect("at-exit:" + CALLER + ":dgemm_small", says=["dgemm_small right"],
                    **self.settings)

    def test_illegal_arguments_are_reported_as_the_reference_does(self):
        said = self.expect(CALLER + ":dgemm_illegal", CALLER + ":dgemv_illegal",
                           CALLER + ":cblas_dgemm_illegal",
                           says=["dgemm_illegal right", "dgemv_illegal right",
                                 "cblas_dgemm_illegal right"],
                           **self.settings)
        self.assertEqual(said.splitlines(),
                         [" ** On entry to DGEMM  parameter number 10 had an illegal value",
                          " ** On entry to DGEMV  parameter number 11 had an illegal value",
                          "Parameter 11 to routine cblas_dgemm was incorrect"])

    def test_nor_an_engine_the_program_ends_with_a_reason(self):
        ran = run_host(CALLER + ":dgemm_small",
                       **{**self.settings, "DUOBLAS_CPU_BLAS": "/nonexistent/libblas.so"})
        self.assertEqual(ran.returncode, -6)
        self.assertIn("duoblas: dgemm_ was called, and there is no BLAS to do it", ran.stderr)


if __name__ == "__main__":
    unittest.main()

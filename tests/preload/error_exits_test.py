"""Illegal arguments reach the program's own error exits under the drop-in as they do without it."""
import os
import pathlib
import tempfile
import unittest

from dropin_process import CPU_BLAS, DROPIN, FORCED, LIBRARIES, run_host

HOST = os.environ["DUOBLAS_TEST_HOST_WITH_XERBLA"]
MODULE = str(LIBRARIES / "libduoblas_illegal_calls.so")
FORTRAN, CBLAS = MODULE + ":fortran_illegal", MODULE + ":cblas_illegal"


class ErrorExits(unittest.TestCase):
    def reports(self, *actions, **how):
        ran = run_host(*actions, program=HOST, **how)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(ran.stderr, "")
        return ran.stdout.splitlines()

    def test_are_the_programs_own_with_the_numbers_that_its_blas_gives(self):
        for calls, names in ((FORTRAN, "own xerbla_: SGEMM 1"), (CBLAS, "own ")):
            without = self.reports("global:" + CPU_BLAS, calls, preload=None)
            self.assertTrue(any(line.startswith(names) for line in without), without)
            for settings in ({}, FORCED, {"DUOBLAS_STRATEGY": "cpu"}):
                self.assertEqual(self.reports("global:" + CPU_BLAS, calls, preload=DROPIN,
                                              **settings), without)

    def test_are_the_programs_own_without_any_other_blas_too(self):
        expected = self.reports("global:" + CPU_BLAS, FORTRAN, preload=None)
        with tempfile.TemporaryDirectory() as folder:
            for name in ("libblas.so.3", CPU_BLAS, "libcblas.so.3"):
                (pathlib.Path(folder) / name).touch()
            self.assertEqual(self.reports(FORTRAN, LD_LIBRARY_PATH=folder), expected)
            reported = self.reports(CBLAS, LD_LIBRARY_PATH=folder)
        self.assertEqual(reported[:2], ["own cblas_xerbla: cblas_dgemm 1"] * 2)
        self.assertIn("own cblas_xerbla: cblas_zherk 11", reported)


if __name__ == "__main__":
    unittest.main()

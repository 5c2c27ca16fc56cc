"""libblas.so.3 as programs find it: whose function each name is, and what it computes."""
import ctypes
import subprocess
import sys
import unittest

ALTERNATIVE, DROPIN, WHOLE = sys.argv[1:4]


def address(library, name):
    return ctypes.cast(getattr(library, name), ctypes.c_void_p).value


class Alternative(unittest.TestCase):
    def setUp(self):
        self.blas = ctypes.CDLL(ALTERNATIVE)

    def test_has_the_name_that_programs_ask_for(self):
        listed = subprocess.run(["readelf", "-d", ALTERNATIVE], check=True, capture_output=True,
                                text=True).stdout
        self.assertIn("[libblas.so.3]", listed)

    def test_level_3_and_gemv_are_the_drop_ins_and_the_rest_the_other_blass(self):
        dropin, whole = ctypes.CDLL(DROPIN), ctypes.CDLL(WHOLE)
        for name in ("sgemm_", "dgemm_", "cblas_zgemm", "dtrsm_", "cherk_", "dgemv_"):
            self.assertEqual(address(self.blas, name), address(dropin, name), name)
        for name in ("ddot_", "dsymv_", "cblas_daxpy", "zscal_"):
            self.assertEqual(address(self.blas, name), address(whole, name), name)

    def test_products_and_dot_products_are_right(self):
        n = ctypes.c_int(2)
        one, zero = ctypes.c_double(1), ctypes.c_double(0)
        a, b = (ctypes.c_double * 4)(1, 2, 3, 4), (ctypes.c_double * 4)(5, 6, 7, 8)
        c = (ctypes.c_double * 4)()
        by = ctypes.byref
        self.blas.dgemm_(b"N", b"N", by(n), by(n), by(n), by(one), a, by(n), b, by(n), by(zero), c,
                         by(n))
        self.assertEqual(list(c), [23, 34, 31, 46])
        self.blas.ddot_.restype = ctypes.c_double
        self.assertEqual(self.blas.ddot_(by(ctypes.c_int(4)), a, by(ctypes.c_int(1)), b,
                                         by(ctypes.c_int(1))), 70)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

"""SciPy's own tests of solve, inv, det, LU and Cholesky with both sides in every call that is large
enough. pip's SciPy has an OpenBLAS of its own, whose LAPACK has 32-bit integers under other names."""
import os
import re

from dropin import FORCED, ProgramTest, gpu_products, main

PYTHON = os.environ["DUOBLAS_PIP_PYTHON"]
MODULES = ("test_basic", "test_decomp_lu", "test_decomp_cholesky")
CLASSES = "TestSolve or TestInv or TestDet or TestLU or TestCholesky or TestChoSolve"
FACTORISATION = re.compile(r"^duoblas: ([sdcz](?:getrf|potrf|gesv|posv)) .*", re.MULTILINE)


class SciPy(ProgramTest):
    def test_passes_its_tests_with_both_sides_in_factorisations_of_every_type(self):
        python = self.need(PYTHON, "scripts/pip_numpy.sh, which needs a network")
        has = "import importlib.util as u; print(all(map(u.find_spec, ('scipy', 'pytest'))))"
        if self.launch(python, "-c", has).output.strip() != "True":
            self.skipTest(f"{python} has no SciPy or no pytest; scripts/pip_numpy.sh installs them")
        ran = self.launch(python, "-B", "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "-k", CLASSES,
                          "--pyargs", *(f"scipy.linalg.tests.{module}" for module in MODULES),
                          dropin=FORCED)
        self.assertGreater(int(re.search(r"(\d+) passed", ran.output)[1]), 1000, ran.output[-1000:])
        lines = {}
        for line in FACTORISATION.finditer(ran.errors):
            lines.setdefault(line[1][0], []).append(line[0])
        for letter in "sdcz":
            with self.subTest(letter):
                self.assertGreater(gpu_products("\n".join(lines.get(letter, []))), 0)


if __name__ == "__main__":
    main()

"""NumPy as Debian builds it (libblas.so.3) and as pip delivers it (an OpenBLAS of its own, with
other names and 64-bit integers)."""
import math
import os
import sys

from dropin import FORCED, GUESTS, ProgramTest, main

GUEST = str(GUESTS / "numpy_cases.py")
ORIGINS = {"debian": ("/usr/bin/python3", "Debian's python3-numpy"),
           "pip": (os.environ["DUOBLAS_PIP_PYTHON"], "scripts/pip_numpy.sh, which needs a network")}
PYTHON, ORIGIN = ORIGINS[sys.argv.pop(1)]


class NumPy(ProgramTest):
    def python(self, *arguments, dropin=None):
        return self.launch(self.need_numpy(PYTHON, ORIGIN), "-B", *arguments, dropin=dropin)

    def computes_the_same(self, dropin, *dtype):
        """Compares with a run without the drop-in, and returns the run with it; cases of a type alone,
        if one is given."""
        plain, ours = self.folder / "plain.npz", self.folder / "ours.npz"
        self.python(GUEST, "compute", str(plain), *dtype)
        ran = self.python(GUEST, "compute", str(ours), *dtype, dropin=dropin)
        compared = self.python(GUEST, "compare", str(ours), str(plain)).output.split()
        distances = dict(zip(compared[::2], map(float, compared[1::2])))
        self.assertGreater(len(distances), 15 if dtype else 60)
        for case, distance in distances.items():
            with self.subTest(case):
                self.assertTrue(math.isfinite(distance) and distance < 1, distance)
        return ran

    def test_computes_the_same_and_the_gpu_has_a_part_of_every_product(self):
        ran = self.computes_the_same(FORCED)
        self.assert_on_both_sides(ran, "products")
        self.assert_on_both_sides(ran, "cross_products")
        self.assert_on_both_sides(ran, "matrix_vector")
        self.assert_on_both_sides(ran, "linear_systems")

    def test_computes_the_same_on_the_gpu_alone_and_without_it(self):
        for strategy in ("gpu", "cpu"):
            with self.subTest(strategy):
                self.computes_the_same({"STRATEGY": strategy})

    def test_doubles_by_integers_are_the_same_and_the_gpu_has_a_part(self):
        ran = self.computes_the_same({**FORCED, "FP64": "integers"}, "float64")
        self.assert_on_both_sides(ran, "products")

    def test_computes_the_same_where_the_drop_in_decides(self):
        self.computes_the_same({})


if __name__ == "__main__":
    main()

"""NumPy, SciPy and torch imported together under the drop-in. torch has a BLAS of its own (MKL or OpenBLAS),
with names that others have, too: cblas_dgemm_batch has other arguments in MKL than in OpenBLAS, and who
gets the wrong one writes to memory of others (pytorch#182263). The drop-in has none of that name."""
import os
import subprocess

from dropin import DROPIN, FORCED, GUESTS, ProgramTest, gpu_products, main

PYTHON = os.environ["DUOBLAS_TORCH_PYTHON"]
GUEST = str(GUESTS / "torch_cases.py")


class Torch(ProgramTest):
    def test_no_name_of_the_drop_in_is_that_of_a_batch(self):
        names = subprocess.run(["nm", "-D", "--defined-only", "--format=just-symbols", DROPIN],
                               capture_output=True, text=True, check=True).stdout.split()
        self.assertIn("cblas_dgemm", names)
        self.assertEqual([name for name in names if "batch" in name.lower()], [])

    def test_numpy_scipy_and_torch_multiply_in_one_process(self):
        python = self.need(PYTHON, "scripts/pip_numpy.sh FOLDER torch, which needs a network")
        self.assertIn("all are right", self.launch(python, "-B", GUEST, dropin={}).output)
        forced = self.launch(python, "-B", GUEST, dropin=FORCED)
        self.assertIn("all are right", forced.output)
        self.assertGreater(gpu_products(forced.errors), 0)


if __name__ == "__main__":
    main()

"""What the small copy of PoCL keeps of OpenCL C."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
from small_pocl import cut_header, function_name, is_used, words_of_kernels  # noqa: E402

HEADER = """#define __ovld __attribute__((overloadable))
float __ovld __cnfn fma(float, float, float);
float4 __ovld __cnfn sinh(float4);
#if defined(cl_khr_fp64)
double2 __ovld __purefn vload2(size_t, const __global double *);
void __ovld atomic_init(volatile atomic_int *, int);
#endif
typedef float other;
"""


class SmallPocl(unittest.TestCase):
    def test_of_the_declarations_those_stay_whose_names_are_said(self):
        with tempfile.TemporaryDirectory() as folder:
            source, target = pathlib.Path(folder, "whole.h"), pathlib.Path(folder, "cut.h")
            source.write_text(HEADER)
            cut_header(source, target, {"fma", "vload"})
            lines = HEADER.splitlines(keepends=True)
            self.assertEqual(target.read_text(), "".join(lines[i] for i in (0, 1, 3, 4, 6, 7)))

    def test_symbols_are_known_by_the_function_that_they_are(self):
        self.assertEqual(function_name("_Z7_cl_fmaDv8_fS_S_"), "fma")
        self.assertEqual(function_name("_Z13get_global_idj"), "get_global_id")
        self.assertEqual(function_name("_cl_printf"), "printf")

    def test_words_are_those_of_kernels_and_of_tests(self):
        words = words_of_kernels()
        for name in ("fma", "get_local_id", "vload8", "vstore", "async_work_group_copy", "read_imagef"):
            self.assertEqual(is_used(name, words), name != "async_work_group_copy", name)
        self.assertFalse(is_used("lgamma_r", words))


if __name__ == "__main__":
    unittest.main()

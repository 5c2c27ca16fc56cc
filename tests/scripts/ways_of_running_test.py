"""What the benchmarks of programs preload."""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench" / "programs"))
from ways_of_running import environment  # noqa: E402


class WaysOfRunning(unittest.TestCase):
    def test_the_library_is_preloaded_and_variables_are_set(self):
        found = environment(f"{__file__},DUOBLAS_VERBOSE=1")
        self.assertEqual((found["LD_PRELOAD"], found["DUOBLAS_VERBOSE"]), (__file__, "1"))

    def test_a_name_is_for_the_loader_to_find(self):
        self.assertEqual(environment("libm.so.6")["LD_PRELOAD"], "libm.so.6")

    def test_the_plain_program_has_no_library(self):
        self.assertNotEqual(environment("").get("LD_PRELOAD"), "")

    def test_a_library_that_is_not_there_is_told(self):
        with self.assertRaisesRegex(SystemExit, "there is no /nowhere/lib.so"):
            environment("/nowhere/lib.so,DUOBLAS_VERBOSE=1")


if __name__ == "__main__":
    unittest.main()

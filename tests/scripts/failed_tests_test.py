"""What scripts/failed_tests.py says of logs as CTest 3.25 writes them."""
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
from failed_tests import MOST_LINES, summary  # noqa: E402

RULE = "-" * 58
GOOGLE_TEST = """[==========] Running 2 tests from 1 test suite.
[ RUN      ] Tiles.Cover
[       OK ] Tiles.Cover (0 ms)
[ RUN      ] Tiles.End
tests/cpu/tiles_test.cpp:12: Failure
Expected equality of these values:
  grid.rows
    Which is: 7
  8

[  FAILED  ] Tiles.End (0 ms)
[  PASSED  ] 1 test.
"""
UNITTEST = """.F
======================================================================
FAIL: test_help (__main__.Usage)
----------------------------------------------------------------------
Traceback (most recent call last):
  File "usage_test.py", line 9, in test_help
AssertionError: 'usage' not found in ''

----------------------------------------------------------------------
Ran 2 tests in 0.001s
"""


def entry(name, output, seconds="0.01", verdict="Test Failed."):
    return (f'{RULE}\n1/9 Testing: {name}\n1/9 Test: {name}\nCommand: "x"\n"{name}" start time: now\n'
            f'Output:\n{RULE}\n{output}<end of output>\nTest time =   {seconds} sec\n{RULE}\n'
            f'{verdict}\n"{name}" end time: now\n')


class FailedTests(unittest.TestCase):
    def summary_of(self, failed, *entries):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "LastTest.log").write_text("Start testing: now\n" + "".join(entries))
            if failed:
                (folder / "LastTestsFailed.log").write_text(
                    "".join(f"{number}:{test}\n" for number, test in enumerate(failed)))
            return summary(folder)

    def test_an_assertion_of_google_test_is_printed_whole_and_alone(self):
        self.assertEqual(
            self.summary_of(["tiles_test"], entry("good", "/a.cpp:1: Failure\n", verdict="Test Passed."),
                            entry("tiles_test", GOOGLE_TEST)),
            "==> failed: tiles_test (0.01 sec)\n"
            "    tests/cpu/tiles_test.cpp:12: Failure\n"
            "    Expected equality of these values:\n"
            "      grid.rows\n"
            "        Which is: 7\n"
            "      8\n")

    def test_an_assertion_of_unittest_is_printed_with_its_place(self):
        text = self.summary_of(["cli.usage"], entry("cli.usage", UNITTEST))
        self.assertIn('File "usage_test.py", line 9', text)
        self.assertIn("AssertionError: 'usage' not found in ''", text)
        self.assertNotIn("Ran 2 tests", text)

    def test_without_an_assertion_the_last_lines_are_printed(self):
        output = "".join(f"line {number}\n" for number in range(100))
        text = self.summary_of(["soak"], entry("soak", output, seconds="300.0"))
        self.assertTrue(text.startswith("==> failed: soak (300.0 sec)\n    line 60\n"))
        self.assertTrue(text.endswith("    line 99\n"))

    def test_of_many_assertions_the_first_are_printed(self):
        output = "/a.cpp:1: Failure\nvalue\n" * 100
        lines = self.summary_of(["many"], entry("many", output)).splitlines()
        self.assertEqual(len(lines), 1 + MOST_LINES + 1)
        self.assertEqual(lines[-1], f"    ... {200 - MOST_LINES} lines more")

    def test_a_missing_regular_expression_is_named(self):
        text = self.summary_of(["ladder"], entry(
            "ladder", "nothing\n",
            verdict="Test Fail Reason:\nRequired regular expression not found. Regex=[x\n]"))
        self.assertIn("    nothing\n", text)
        self.assertIn("    Required regular expression not found. Regex=[x\n", text)

    def test_a_test_that_never_ran_is_named(self):
        self.assertEqual(self.summary_of(["gone"], entry("good", "")), "==> failed: gone\n")

    def test_nothing_is_printed_where_all_passed(self):
        self.assertEqual(self.summary_of([], entry("good", "", verdict="Test Passed.")), "")


if __name__ == "__main__":
    unittest.main()

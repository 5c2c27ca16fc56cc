"""The testers of the reference BLAS for levels 2 and 3, as Debian ships them. Usage:
netlib_test.py fortran|cblas LEVEL"""
import os
import pathlib
import sys
import sysconfig

from dropin import FORCED, ProgramTest, main

FOLDER = pathlib.Path("/usr/lib") / str(sysconfig.get_config_var("MULTIARCH")) / "blas"
INTERFACE, LEVEL = sys.argv.pop(1), sys.argv.pop(1)
# Routines of a level, at least; and products in which the GPU has a part. Of level 2 only gemv has.
ROUTINES, PRODUCTS = {"2": (16, 1000), "3": (6, 1000)}[LEVEL]


class Fortran:
    """?gemm_ and the like, with the BLAS that the system has chosen."""
    tests = ("TESTS OF ERROR-EXITS", "COMPUTATIONAL TESTS")
    variables = {}

    def __init__(self, letter):
        self.program = FOLDER / f"xblat{LEVEL}{letter}"
        self.input = FOLDER / f"{letter}blat{LEVEL}.in"

    def report(self, ran, folder):
        """The input names a file for it, which must not be there before."""
        file = folder / self.input.read_text(encoding="utf-8").split("'")[1]
        text = file.read_text(encoding="utf-8")
        file.unlink()
        return text


class Cblas:
    """cblas_?gemm and the like. The testers set a variable of the reference CBLAS that OpenBLAS
    does not have."""
    tests = ("TESTS OF ERROR-EXITS", "COLUMN-MAJOR COMPUTATIONAL TESTS",
             "ROW-MAJOR COMPUTATIONAL TESTS")
    variables = {"LD_LIBRARY_PATH": str(FOLDER)}

    def __init__(self, letter):
        self.program = FOLDER / f"x{letter}cblat{LEVEL}"
        self.input = FOLDER / f"{letter}in{LEVEL}"

    def report(self, ran, _):
        return ran.output


TESTER = {"fortran": Fortran, "cblas": Cblas}[INTERFACE]


# Of both sides one split for each interface, since the calls are the same behind it.
SPLITS = {"fortran": ("8/16", "16/16"), "cblas": ("4/16", "16/16")}[INTERFACE]


# In a usual run element types take turns: a letter has one of two ways with one interface, and the other
# one with the other; in the next run (DUOBLAS_TEST_TURN) it is the other way round. DUOBLAS_TEST_ALL: each has both.
EVERYTHING = "DUOBLAS_TEST_ALL" in os.environ
TURN = int(os.environ.get("DUOBLAS_TEST_TURN", "0"))


def in_turn(letter, ways):
    """A share, or the device alone: which of two."""
    return ways if EVERYTHING else ways[("sdcz".index(letter) + (INTERFACE == "cblas") + TURN) % 2:][:1]


def routines(tester):
    """Those that its input switches on."""
    lines = tester.input.read_text(encoding="utf-8").splitlines()
    return [line.split()[0] for line in lines if " T PUT F FOR NO TEST" in line]


class NetlibTesters(ProgramTest):
    def run_tester(self, tester, dropin):
        """What ran, and the lines of its report."""
        ran = self.launch("sh", "-c", f"exec {tester.program} < {tester.input}",
                          dropin=dropin, variables=tester.variables, may_fail=True)
        report = tester.report(ran, self.folder)
        return ran, {" ".join(line.split()).partition(" (")[0] for line in report.splitlines()}

    def passes(self, letter, dropin):
        tester = TESTER(letter)
        self.need(tester.program, "Debian's libblas-test")
        self.need(FOLDER / "libblas.so.3", "Debian's libblas3")
        ran, lines = self.run_tester(tester, dropin)
        self.assertGreaterEqual(len(routines(tester)), ROUTINES)
        wanted = {f"{routine} PASSED THE {test}"
                  for routine in routines(tester) for test in tester.tests} | {"END OF TESTS"}
        missing = wanted - lines
        if missing or ran.failed:
            # Debian 13's own OpenBLAS does not pass its testers: they are given names that end in
            # a byte of zero, and those of complex types crash.
            plain, lines_of_plain = self.run_tester(tester, None)
            self.assertEqual(ran.failed, plain.failed, ran.errors)
            self.assertFalse(missing & lines_of_plain, lines)
            self.assertTrue(wanted & lines)
        return ran

    def test_pass_where_the_drop_in_leaves_small_products_alone(self):
        for letter in "sdcz":
            with self.subTest(letter):
                self.assertEqual(self.passes(letter, {}).gpu_products(), 0)

    def test_pass_with_both_sides_at_work_in_every_product(self):
        for letter in "sdcz":
            for split in in_turn(letter, SPLITS):
                with self.subTest(letter, split=split):
                    ran = self.passes(letter, {**FORCED, "SPLIT": split})
                    self.assertGreater(ran.gpu_products(), PRODUCTS)

    def test_pass_on_the_gpu_alone_and_without_it(self):
        for letter in "sdcz":
            for strategy, least in in_turn(letter, (("cpu", -1), ("gpu", PRODUCTS))):
                with self.subTest(letter, strategy=strategy):
                    ran = self.passes(letter, {"STRATEGY": strategy})
                    self.assertGreater(ran.gpu_products(), least)


if __name__ == "__main__":
    main()

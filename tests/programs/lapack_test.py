"""LAPACK's own testers of its linear equation routines (LAPACK Working Note 41), as Debian ships them:
LU, Cholesky, QR, least squares, inverses and solves with them, of good, badly scaled, ill-conditioned and singular
matrices, with their error exits."""
import pathlib
import re
import sysconfig

from dropin import FORCED, ProgramTest, gpu_products, main

FOLDER = pathlib.Path("/usr/lib") / str(sysconfig.get_config_var("MULTIARCH")) / "lapack"

INPUT = """LU, Cholesky and QR
{count}
{sizes}                Rows
{count}
{sizes}                Columns
1
3                      Right-hand sides
1
20                     Block sizes of the reference
5
1
30                     Ranks, which these have not
30.0                   The most of errors
T
T
T
{letter}GE   11
{letter}PO    9
{qr}"""
QR = """{0}QR    8
{0}LS    6
"""
RESULT = re.compile(r"^ .(GE|PO|QR|LS) (routines|drivers) +passed the tests of the error exits|"
                    r"^ All tests for .(GE|PO|QR|LS) (routines|drivers) +passed the threshold", re.MULTILINE)


class LapackTesters(ProgramTest):
    def passes(self, letter, sizes, dropin):
        tester = FOLDER / f"xlintst{letter}"
        self.need(tester, "Debian's liblapack-test")
        file = self.folder / "tests.in"
        file.write_text(INPUT.format(letter=letter.upper(), sizes=sizes, count=len(sizes.split()),
                                     qr=QR.format(letter.upper())), encoding="utf-8")
        ran = self.launch("sh", "-c", f"exec {tester} < {file}", dropin=dropin)
        self.assertNotIn("failed", ran.output)
        self.assertEqual(len(RESULT.findall(ran.output)), 12, ran.output[-4000:])
        return ran

    def test_pass_with_both_sides_in_every_large_enough_call(self):
        for letter, sizes in (("s", "0 17 50"), ("d", "0 17 50"), ("c", "0 40"), ("z", "50")):
            with self.subTest(letter):
                ran = self.passes(letter, sizes, FORCED)
                qr = ("orgqr", "ormqr") if letter in "sd" else ("ungqr", "unmqr")
                for routine in ("getrf", "potrf", "gesv", "posv", "getri", "geqrf", *qr):
                    lines = "\n".join(line for line in ran.errors.splitlines() if routine in line)
                    self.assertGreater(gpu_products(lines), 5, routine)

    def test_pass_where_the_drop_in_decides(self):
        self.passes("d", "0 17 50", {})


if __name__ == "__main__":
    main()

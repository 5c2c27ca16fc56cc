"""LAPACKE, the C interface of LAPACK, as Debian ships it: it calls the Fortran names, and so comes
to the drop-in that has no names of its own for it."""
import ctypes.util
import sys

from dropin import FORCED, GUESTS, ProgramTest, gpu_products, main


class Lapacke(ProgramTest):
    def solves(self, dropin):
        library = ctypes.util.find_library("lapacke")
        if library is None:
            self.skipTest("liblapacke.so.3 is missing; it comes with Debian's liblapacke")
        ran = self.launch(sys.executable, "-B", str(GUESTS / "lapacke_calls.py"), library,
                          dropin=dropin)
        self.assertEqual(ran.output.strip(), "32", "four solutions of four types in two layouts")
        return ran

    def test_is_right_and_both_sides_have_a_part_of_every_factorisation(self):
        by_case = self.solves(FORCED).gpu_products_by_case()
        for letter in "sdcz":
            for layout in (101, 102):
                for routine in ("getrf", "potrf", "gesv", "posv"):
                    case = f"{letter}{routine}.{layout}"
                    with self.subTest(case):
                        self.assertGreater(by_case[case], 0)

    def test_is_right_where_the_drop_in_decides(self):
        self.assertEqual(gpu_products(self.solves({}).errors), 0, "they are small")


if __name__ == "__main__":
    main()

"""A BLAS that is loaded RTLD_LOCAL while the program runs, so that the drop-in's next symbol is
in no scope of its own."""
from dropin import FORCED, GUESTS, ProgramTest, main


class LoadedBlas(ProgramTest):
    def python(self, way, dropin):
        python = self.need("/usr/bin/python3", "Debian's python3")
        return self.launch(python, "-B", str(GUESTS / "loaded_products.py"), way,
                           dropin=dropin)

    def test_is_what_small_products_go_to(self):
        ran = self.python("global", {})
        self.assertTrue(ran.output.startswith("right"), ran.output)
        self.assertNotIn("libduoblas.so", ran.output)
        self.assertNotIn("/libblas.so", ran.output)

    def test_is_what_reports_illegal_arguments(self):
        for dropin in ({}, FORCED):
            ran = self.python("illegal", dropin)
            self.assertRegex(ran.output + ran.errors, r"DGEMM .*parameter number +8 ")
            self.assertEqual(ran.gpu_products(), 0)

    def test_does_not_keep_products_from_both_sides(self):
        ran = self.python("global", FORCED)
        self.assertTrue(ran.output.startswith("right"), ran.output)
        self.assertEqual(ran.gpu_products(), 1)

    def test_is_called_directly_by_who_asks_it_by_its_handle(self):
        ran = self.python("handle", FORCED)
        self.assertTrue(ran.output.startswith("right"), ran.output)
        self.assertEqual(ran.gpu_products(), 0)


if __name__ == "__main__":
    main()

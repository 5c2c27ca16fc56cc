"""R's products, with the interpreter that Debian links with libblas.so.3."""
from dropin import FORCED, GUESTS, ProgramTest, main


class R(ProgramTest):
    def rscript(self, dropin=None):
        program = self.need("Rscript", "Debian's r-base-core")
        return self.launch(program, "--vanilla", str(GUESTS / "products.R"), dropin=dropin)

    def test_computes_the_same_and_the_gpu_has_a_part_of_every_product(self):
        ran = self.rscript(FORCED)
        self.assert_same_results(ran, self.rscript())
        self.assert_on_both_sides(ran, "products")
        self.assert_on_both_sides(ran, "cross_products")

    def test_computes_the_same_where_the_drop_in_decides(self):
        self.assert_same_results(self.rscript({}), self.rscript())


if __name__ == "__main__":
    main()

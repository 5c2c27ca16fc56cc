"""GNU Octave's products."""
from dropin import FORCED, GUESTS, ProgramTest, main


class Octave(ProgramTest):
    def octave(self, dropin=None):
        program = self.need("octave-cli", "Debian's octave")
        return self.launch(program, "--norc", "--no-history", "--quiet",
                           str(GUESTS / "products.m"), dropin=dropin)

    def test_computes_the_same_and_the_gpu_has_a_part_of_every_product(self):
        ran = self.octave(FORCED)
        self.assert_same_results(ran, self.octave())
        self.assert_on_both_sides(ran, "products")
        self.assert_on_both_sides(ran, "cross_products")

    def test_computes_the_same_where_the_drop_in_decides(self):
        self.assert_same_results(self.octave({}), self.octave())


if __name__ == "__main__":
    main()

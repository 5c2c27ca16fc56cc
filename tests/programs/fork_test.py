"""Python's multiprocessing: workers forked from a process whose GPU has worked. OpenCL does not
survive a fork, so they compute on the CPU."""
from dropin import FORCED, GUESTS, ProgramTest, gpu_products, main


class Fork(ProgramTest):
    def ran(self, dropin):
        ran = self.launch(self.debian_numpy(), "-B", str(GUESTS / "forked_products.py"),
                          str(self.folder), dropin=dropin)
        self.assertEqual(ran.output.strip(), str(list(range(6))))
        return ran

    def test_workers_multiply_on_the_cpu_and_their_parent_keeps_its_gpu(self):
        by_case = self.ran(FORCED).gpu_products_by_case()
        self.assertGreater(by_case["before"], 0)
        self.assertGreater(by_case["after"], 0)
        for seed in range(6):
            text = (self.folder / f"worker{seed}").read_text(encoding="utf-8")
            self.assertEqual(gpu_products(text), 0, text)

    def test_workers_multiply_where_the_drop_in_decides(self):
        self.ran({})


if __name__ == "__main__":
    main()

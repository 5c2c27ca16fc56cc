"""What a process carries that has the drop-in preloaded and no use for it."""
from dropin import DROPIN, FORCED, ProgramTest, main

# Names of libraries that only a product may bring in.
LATE = ("libOpenCL", "libpocl", "libduoblas.so", "libtbb", "libhwloc", "libnvidia-opencl")
SMALL_PRODUCT = ("import numpy as n; assert (n.ones((8, 8)) @ n.ones((8, 8)) == 8).all();"
                 "print(open('/proc/self/maps').read())")
# 3 GFlop, enough to ask what this machine has.
LARGE_VECTOR_PRODUCTS = ("import numpy as n; a = n.ones((2000, 2000)); x = n.ones(2000);"
                         "[a @ x for _ in range(400)]; assert (a @ x == 2000).all();"
                         "print(open('/proc/self/maps').read())")
LARGE_PRODUCT_THEN_EXEC = ("import os, numpy as n; n.ones((300, 300)) @ n.ones((300, 300));"
                           "os.execv('/bin/cat', ['cat', '/proc/self/maps'])")


class Idle(ProgramTest):
    def maps(self, *command, dropin, late=LATE):
        ran = self.launch(*command, dropin=dropin)
        self.assertIn(DROPIN, ran.output)
        for library in late:
            self.assertNotIn(library, ran.output)
        return ran

    def test_a_program_that_never_multiplies_loads_nothing_more(self):
        for dropin in ({}, FORCED):
            self.maps("/bin/cat", "/proc/self/maps", dropin=dropin,
                      late=(*LATE, "blas.so.3", "openblas", "libstdc++", "libm.so"))

    def test_small_products_load_nothing_more(self):
        self.maps(self.debian_numpy(), "-c", SMALL_PRODUCT, dropin={})

    def test_products_with_vectors_alone_open_no_device_before_one_is_known(self):
        ran = self.maps(self.debian_numpy(), "-c", LARGE_VECTOR_PRODUCTS,
                        dropin={"CACHE_DIR": str(self.folder / "cache")},
                        late=[library for library in LATE if "CL" in library or "pocl" in library])
        self.assertIn("libduoblas.so", ran.output)
        self.assertIn("no device is started for it before one is known", ran.errors)

    def test_exec_of_another_program_begins_anew(self):
        ran = self.maps(self.debian_numpy(), "-c", LARGE_PRODUCT_THEN_EXEC, dropin=FORCED)
        self.assertGreater(ran.gpu_products(), 0)


if __name__ == "__main__":
    main()

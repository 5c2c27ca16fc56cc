"""Programs that do not wait for the device: where the drop-in decides, it opens in the background
while the CPU does the first products."""
from dropin import ProgramTest, main

# PoCL plays the GPU, so that the drop-in finds one; without a single compiled kernel that takes
# long enough for a program to end, or to fork, in the middle.
STANDIN = {"STANDIN": "1"}
TIMES = 5

ENDS = "import numpy as n; a = n.ones((700, 700)); assert (a @ a == 700).all()"

FORKS = """
import os, numpy as n
a = n.ones((700, 700))
for fork in range(10):
    assert (a @ a == 700).all()
    child = os.fork()
    if child == 0:
        os._exit(0 if (a @ a == 700).all() else 1)
    assert os.waitpid(child, 0)[1] == 0
assert (a @ a == 700).all()
"""

GOES_ON = """
import sys, numpy as n
a = n.ones((1500, 1500))
for product in range(40):
    assert (a @ a == 1500).all()
"""


class Opening(ProgramTest):
    def numpy(self, program, cold):
        settings = dict(STANDIN)
        if cold is not None:
            settings["CACHE_DIR"] = str(self.folder / f"kernels{cold}")
        return self.launch(self.debian_numpy(), "-c", program, dropin=settings)

    def test_a_program_may_end_meanwhile(self):
        for cold in range(TIMES):
            self.numpy(ENDS, cold)

    def test_a_program_may_fork_meanwhile(self):
        for cold in range(TIMES):
            self.numpy(FORKS, cold)

    def test_the_gpu_takes_part_once_it_is_open(self):
        self.assertGreater(self.numpy(GOES_ON, None).gpu_products(), 0)


if __name__ == "__main__":
    main()

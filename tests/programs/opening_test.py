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
import numpy as n
a = n.ones((1500, 1500))
for product in range(40):
    assert (a @ a == 1500).all()
"""


class Opening(ProgramTest):
    def multiplies_right(self, program):
        for time in range(TIMES):
            cold = {"CACHE_DIR": str(self.folder / f"kernels{time}")}
            self.launch(self.debian_numpy(), "-c", program, dropin={**STANDIN, **cold})

    def test_a_program_may_end_meanwhile(self):
        self.multiplies_right(ENDS)

    def test_a_program_may_fork_meanwhile(self):
        self.multiplies_right(FORKS)

    def test_a_program_may_go_on_until_it_is_open(self):
        # Whether the GPU then gets a part is the plan's decision, and another on each machine.
        self.launch(self.debian_numpy(), "-c", GOES_ON, dropin=STANDIN)


if __name__ == "__main__":
    main()

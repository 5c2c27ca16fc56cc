"""Commands beside an NVIDIA management library that the tests build: one GPU of 250 W."""
import os

from command import CommandTest

NVML = os.environ["DUOBLAS_TEST_NVML_FOLDER"]
WATTS = 250


class PowerTest(CommandTest):
    ailment = ""

    def environment(self, **settings):
        return {**super().environment(**settings), "LD_LIBRARY_PATH": NVML,
                "FAKE_NVML": self.ailment, "LC_ALL": "C.UTF-8"}

"""duoblas tune --objective: what it measures energy by, and where it cannot."""
import json
import subprocess
import unittest

from command import COMMAND
from power_command import PowerTest

SHORT = ("tune", "--precision", "s", "--size", "96", "--ops", "nn", "--budget", "1", "--kernels",
         "1")


class ForEnergy(PowerTest):
    def test_says_whose_energy_it_is_and_stores_joules(self):
        path = self.folder / "out.json"
        text = self.duoblas(*SHORT, "--objective", "energy", "--json", str(path)).stdout
        self.assertIn("gpu: NVML total energy of Fake GPU (counted", text)
        self.assertRegex(text, r"\njoules of a call .*\nsgemm nn 96 x 96 x 96 .* J ")
        self.assertIn("Tuned for energy", text)
        with open(path, encoding="utf-8") as file:
            point = json.load(file)["profile"]["points"][0]
        self.assertEqual(point["goal"], "energy")
        self.assertIn("gpu", point["joules_of"])
        self.assertGreater(point["hybrid"]["joules"], 0)
        self.assertLessEqual(point["hybrid"]["joules"], point["simple"]["joules"])
        # The objective is a part of what was asked for.
        again = self.duoblas(*SHORT, "--objective", "energy").stdout
        self.assertIn("Nothing has changed", again)
        self.assertNotIn("Nothing has changed", self.duoblas(*SHORT).stdout)


class WithoutSensor(PowerTest):
    ailment = "no_driver"

    def test_is_an_error_that_names_every_source_before_anything_is_tuned(self):
        sensors = subprocess.run([COMMAND, "power"], env=self.environment(),
                                 capture_output=True, timeout=60).returncode == 0
        if sensors:  # this machine has some of its own
            return
        message = self.duoblas(*SHORT, "--objective", "energy", expect=1).stderr
        self.assertIn("energy cannot be minimised", message)
        for source in ("NVML: nvmlInit_v2: Driver Not Loaded", "powercap RAPL", "battery"):
            self.assertIn(source, message)

    def test_an_unknown_objective_is_refused(self):
        self.assertIn("throughput",
                      self.duoblas("tune", "--objective", "comfort", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()

"""duoblas power: which sensors it lists, what it measures and says of what is missing."""
import re
import subprocess
import unittest

from command import COMMAND
from power_command import WATTS, PowerTest


class Power(PowerTest):
    def test_tells_joules_and_watts_of_the_time_it_was_given(self):
        text = self.duoblas("power", "--seconds", "1.2").stdout
        self.assertIn("gpu      NVML total energy of Fake GPU (counted, every", text)
        # A busy machine makes it longer: what is said is compared with the time that is said.
        seconds = float(re.search(r"^In ([\d.]+) s:$", text, re.M)[1])
        self.assertGreaterEqual(seconds, 1.2)
        joules, mean, peak = map(float, re.search(
            r"^  gpu +([\d.]+)  ([\d.]+) W +([\d.]+) W$", text, re.M).groups())
        for watts in (joules / seconds, mean):
            self.assertAlmostEqual(watts / WATTS, 1, delta=0.2)
        self.assertGreaterEqual(peak, mean)

    def test_names_what_is_unavailable_and_why(self):
        text = self.duoblas("power").stdout
        self.assertRegex(text, r"\n  dram +unavailable\n")
        self.assertIn("Not to be had (system): battery", text)

    def test_asks_only_the_gpu_at_the_given_address(self):
        self.assertIn("Fake GPU", self.duoblas("power", "--gpu", "0000:01:00.0").stdout)
        ran = subprocess.run([COMMAND, "power", "--gpu", "0000:02:00.0"], env=self.environment(),
                             capture_output=True, text=True, timeout=60)
        self.assertNotIn("Fake GPU", ran.stdout)
        self.assertIn("Not to be had (gpu): NVML", ran.stdout)

    def test_refuses_times_that_cannot_be_meant(self):
        for value in ("0", "nan", "-1"):
            self.assertIn("--seconds", self.duoblas("power", "--seconds", value, expect=2).stderr)


class GoneInTheMiddle(PowerTest):
    ailment = "gone"

    def test_leaves_the_domain_unavailable_with_the_drivers_reason(self):
        text = self.duoblas("power", "--seconds", "1.5").stdout
        self.assertRegex(text, r"\n  gpu +unavailable *\n")
        self.assertIn("GPU is lost", text)


class NoSensor(PowerTest):
    ailment = "no_driver"

    def test_is_listed_and_is_an_error(self):
        ran = subprocess.run([COMMAND, "power"], env=self.environment(), capture_output=True,
                             text=True, timeout=60)
        self.assertIn("Driver Not Loaded", ran.stdout)
        # The machine that runs this may have sensors of its own.
        self.assertEqual(ran.returncode, 0 if re.search(r"\(counted|\(watts", ran.stdout) else 1)


if __name__ == "__main__":
    unittest.main()

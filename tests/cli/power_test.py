"""duoblas power: what it shows, records and says of what is missing."""
import json
import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

from command import COMMAND
from power_command import WATTS, PowerTest


def domain_of(document, name):
    return next(d for d in document["energy"]["domains"] if d["domain"] == name)


class Power(PowerTest):
    def test_shows_watts_line_by_line_in_a_pipe_and_what_was_used(self):
        text = self.duoblas("power", "--seconds", "2", "--interval", "0.5").stdout
        self.assertIn("gpu      NVML total energy of Fake GPU (counted, every", text)
        self.assertIn("also     gpu: NVML power of Fake GPU", text)
        self.assertEqual(len(re.findall(r"^\d\.\d s  gpu ", text, re.M)), 4)
        self.assertRegex(text, r"\n2\.0 s  gpu 2\d\d\.\d W\n")
        joules = float(re.search(r"^  gpu +([\d.]+)  2\d\d\.\d W +\d+\.\d W$", text, re.M)[1])
        self.assertAlmostEqual(joules / (2 * WATTS), 1, 1)
        self.assertNotIn("\033", text)

    def test_names_what_is_unavailable_and_why(self):
        text = self.duoblas("power", "--list").stdout
        self.assertRegex(text, r"\n  dram +unavailable\n")
        self.assertIn("Not to be had (system): battery", text)

    def test_records_sensors_watts_and_joules(self):
        document = self.json_of("power", "--seconds", "1.2", "--interval", "0.4")
        gpu = domain_of(document, "gpu")
        self.assertEqual(gpu["sensor"]["source"], "NVML total energy of Fake GPU")
        self.assertAlmostEqual(gpu["mean_watts"] / WATTS, 1, 1)
        self.assertGreaterEqual(gpu["peak_watts"], gpu["mean_watts"])
        self.assertEqual(len(document["series"]), 3)
        self.assertAlmostEqual(document["series"][-1]["gpu"] / WATTS, 1, 1)
        dram = domain_of(document, "dram")
        self.assertIsNone(dram["joules"])
        self.assertTrue(dram["reason"])

    def test_writes_json_to_a_pipe_and_text_beside_it(self):
        ran = self.duoblas("power", "--seconds", "1.1", "--json", "-")
        self.assertEqual(len(json.loads(ran.stdout)["sensors"]), 2)
        self.assertIn("Sensors:", ran.stderr)

    def test_has_no_figure_for_less_than_a_second(self):
        text = self.duoblas("power", "--seconds", "0.3", "--interval", "0.1").stdout
        self.assertIn("Too short", text)

    def test_ends_with_its_figures_at_ctrl_c(self):
        with subprocess.Popen([COMMAND, "power", "--interval", "0.2"], env=self.environment(),
                              stdout=subprocess.PIPE, text=True) as process:
            lines = [process.stdout.readline()]
            while lines[-1] and not lines[-1].startswith("1.4 s"):
                lines.append(process.stdout.readline())
            process.send_signal(signal.SIGINT)
            rest = process.stdout.read()
        self.assertEqual(process.returncode, 0, lines)
        self.assertIn("In ", rest)

    def test_refuses_times_that_cannot_be_meant(self):
        for option, value in (("--seconds", "0"), ("--seconds", "nan"), ("--interval", "0"),
                              ("--interval", "-1")):
            ran = self.duoblas("power", option, value, expect=2)
            self.assertIn(option, ran.stderr)


class Terminal(PowerTest):
    def screen(self, **variables):
        """What a terminal of 60 columns gets in 1.2 s."""
        child, descriptor = pty.fork()
        if child == 0:
            os.execve(COMMAND, [COMMAND, "power", "--seconds", "1.2", "--interval", "0.2"],
                      {**self.environment(), **variables})
        output = b""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            ready, _, _ = select.select([descriptor], [], [], 1)
            try:
                part = os.read(descriptor, 4096) if ready else b" "
            except OSError:  # the other end is closed
                break
            output += part
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        return output.decode()

    def test_draws_over_its_rows_with_a_sparkline(self):
        text = self.screen()
        self.assertIn("\033[1A\r\033[K  gpu", text)
        self.assertRegex(text, r"2\d\d\.\d W  .*█")

    def test_draws_plain_characters_where_the_locale_is_not_utf8(self):
        text = self.screen(LC_ALL="C")
        self.assertRegex(text, r"2\d\d\.\d W  .*#")
        self.assertNotIn("█", text)


class GoneInTheMiddle(PowerTest):
    ailment = "gone"

    def test_leaves_the_domain_unavailable_with_the_drivers_reason(self):
        ran = self.duoblas("power", "--seconds", "1.5", "--json", str(self.folder / "out.json"))
        self.assertIn("gpu unavailable", ran.stdout)
        self.assertIn("GPU is lost", ran.stdout)
        with open(self.folder / "out.json", encoding="utf-8") as file:
            gpu = domain_of(json.load(file), "gpu")
        self.assertIsNone(gpu["joules"])
        self.assertIn("GPU is lost", gpu["reason"])


class NoSensor(PowerTest):
    ailment = "no_driver"

    def test_is_listed_and_is_an_error(self):
        ran = subprocess.run([COMMAND, "power", "--seconds", "1", "--json", "-"],
                             env=self.environment(), capture_output=True, text=True, timeout=60)
        document = json.loads(ran.stdout)
        self.assertIn("NVML", [missing["source"] for missing in document["missing"]])
        self.assertIn("Driver Not Loaded", ran.stderr)
        # The machine that runs this may have sensors of its own.
        self.assertEqual(ran.returncode, 0 if document["sensors"] else 1)


if __name__ == "__main__":
    unittest.main()

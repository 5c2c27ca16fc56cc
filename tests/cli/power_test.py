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


def time_of(line):
    """The seconds that a line of a pipe begins with; None for other lines."""
    found = re.match(r"(\d+\.\d) s  gpu ", line)
    return float(found[1]) if found else None


# The process may be held up on a busy machine, so that turns are late or left out, and a second
# becomes more of them: what is said of a time is compared with the time that is said.
class Power(PowerTest):
    def assert_watts(self, watts):
        self.assertAlmostEqual(watts / WATTS, 1, delta=0.2)

    def test_shows_watts_line_by_line_in_a_pipe_and_what_was_used(self):
        text = self.duoblas("power", "--seconds", "2", "--interval", "0.5").stdout
        self.assertIn("gpu      NVML total energy of Fake GPU (counted, every", text)
        self.assertIn("also     gpu: NVML power of Fake GPU", text)
        times = [time_of(line) for line in text.splitlines() if time_of(line)]
        self.assertIn(len(times), range(1, 5))
        self.assertGreaterEqual(times[-1], 2)
        self.assert_watts(float(re.findall(r"^\d+\.\d s  gpu ([\d.]+) W$", text, re.M)[-1]))
        seconds = float(re.search(r"^In ([\d.]+) s:$", text, re.M)[1])
        joules, mean, peak = map(float, re.search(
            r"^  gpu +([\d.]+)  ([\d.]+) W +([\d.]+) W$", text, re.M).groups())
        self.assert_watts(joules / seconds)
        self.assert_watts(mean)
        self.assertGreaterEqual(peak, mean)
        self.assertNotIn("\033", text)

    def test_names_what_is_unavailable_and_why(self):
        text = self.duoblas("power", "--list").stdout
        self.assertRegex(text, r"\n  dram +unavailable\n")
        self.assertIn("Not to be had (system): battery", text)

    def test_watches_only_the_gpu_at_the_given_address(self):
        listed = self.json_of("power", "--list", "--gpu", "0000:01:00.0")
        self.assertIn("NVML total energy of Fake GPU", [s["source"] for s in listed["sensors"]])
        ran = subprocess.run([COMMAND, "power", "--list", "--gpu", "0000:02:00.0", "--json", "-"],
                             env=self.environment(), capture_output=True, text=True, timeout=60)
        sources = [sensor["source"] for sensor in json.loads(ran.stdout)["sensors"]]
        self.assertFalse([source for source in sources if "Fake GPU" in source], ran.stderr)

    def test_records_sensors_watts_and_joules(self):
        document = self.json_of("power", "--seconds", "2", "--interval", "0.4")
        gpu = domain_of(document, "gpu")
        self.assertEqual(gpu["sensor"]["source"], "NVML total energy of Fake GPU")
        self.assert_watts(gpu["mean_watts"])
        self.assertAlmostEqual(gpu["mean_watts"] * document["energy"]["seconds"], gpu["joules"], 6)
        self.assertGreaterEqual(gpu["peak_watts"], gpu["mean_watts"])
        self.assertIn(len(document["series"]), range(1, 6))
        self.assertGreaterEqual(document["series"][-1]["seconds"], 2)
        self.assert_watts(document["series"][-1]["gpu"])
        dram = domain_of(document, "dram")
        self.assertIsNone(dram["joules"])
        self.assertTrue(dram["reason"])

    def test_writes_json_to_a_pipe_and_text_beside_it(self):
        ran = self.duoblas("power", "--seconds", "1.1", "--json", "-")
        self.assertEqual(len(json.loads(ran.stdout)["sensors"]), 2)
        self.assertIn("Sensors:", ran.stderr)

    def test_has_no_figure_for_less_than_a_second(self):
        text = self.duoblas("power", "--seconds", "0.1", "--interval", "0.1").stdout
        seconds = float(re.search(r"^(?:Too short .*: |In )([\d.]+) s", text, re.M)[1])
        self.assertEqual("Too short" in text, seconds < 1, text)

    def started(self):
        process = subprocess.Popen([COMMAND, "power", "--interval", "0.1"], env=self.environment(),
                                   stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def lines_until(self, process, seconds):
        lines = [process.stdout.readline()]
        while lines[-1] and (time_of(lines[-1]) or 0) < seconds:
            lines.append(process.stdout.readline())
        return lines

    def test_ends_with_its_figures_at_ctrl_c(self):
        process = self.started()
        lines = self.lines_until(process, 1.4)
        process.send_signal(signal.SIGINT)
        rest = process.stdout.read()
        self.assertEqual(process.wait(timeout=60), 0, lines)
        self.assertIn("In ", rest)

    def test_does_not_make_up_for_turns_in_which_it_was_stopped(self):
        process = self.started()
        self.lines_until(process, 0.1)
        process.send_signal(signal.SIGSTOP)
        time.sleep(1.5)
        process.send_signal(signal.SIGCONT)
        times = [time_of(line) for line in self.lines_until(process, 3)]
        # Late turns may have the same tenth of a second as the next.
        self.assertLessEqual(max(times.count(seconds) for seconds in times), 2, times)

    def test_refuses_times_that_cannot_be_meant(self):
        for option, value in (("--seconds", "0"), ("--seconds", "nan"), ("--interval", "0"),
                              ("--interval", "-1")):
            ran = self.duoblas("power", option, value, expect=2)
            self.assertIn(option, ran.stderr)


class Terminal(PowerTest):
    def screen(self, shown, **variables):
        """What a terminal gets until that pattern is in it."""
        child, descriptor = pty.fork()
        if child == 0:
            os.execve(COMMAND, [COMMAND, "power", "--interval", "0.2"],
                      {**self.environment(), **variables})
        output = b""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            ready, _, _ = select.select([descriptor], [], [], 1)
            output += os.read(descriptor, 4096) if ready else b""
            if re.search(shown, output.decode(errors="ignore")):
                break
        os.kill(child, signal.SIGINT)
        try:
            while part := os.read(descriptor, 4096):
                output += part
        except OSError:  # the other end is closed
            pass
        os.close(descriptor)
        _, status = os.waitpid(child, 0)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0)
        text = output.decode()
        self.assertRegex(text, shown)
        return text

    def test_draws_over_its_rows_with_a_sparkline(self):
        self.screen("\033\\[1A\r\033\\[K  gpu +\\d+\\.\\d W  .*█")

    def test_draws_plain_characters_where_the_locale_is_not_utf8(self):
        text = self.screen(r" \d+\.\d W  .*#", LC_ALL="C")
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

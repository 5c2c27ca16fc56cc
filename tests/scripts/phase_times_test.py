"""What scripts/phase_times.sh prints at a script's end."""
import pathlib
import re
import subprocess
import unittest

PHASE_TIMES = pathlib.Path(__file__).parents[2] / "scripts" / "phase_times.sh"
LINE = re.compile(r"==> (\w+) +(\d+) min (\d\d) s of wall time, +(\d+) min (\d\d) s of processor time")
# Half a second of processor time, in a process of a process.
WORK = """bash -c 'python3 -c "
import time
while time.process_time() < 0.5: pass"; true'"""


def run(text):
    script = f"set -euo pipefail\n. {PHASE_TIMES}\n{text}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    lines = [LINE.fullmatch(line) for line in done.stdout.splitlines()]
    if None in lines:
        raise AssertionError(done.stdout + done.stderr)
    processor = {line[1]: int(line[4]) * 60 + int(line[5]) for line in lines}
    return done.returncode, [line[1] for line in lines], processor


class PhaseTimes(unittest.TestCase):
    def test_each_phase_and_all_of_them_are_printed_with_what_their_processes_took(self):
        status, names, processor = run(f"begin_phase build\n{WORK}\n{WORK}\n{WORK}\nbegin_phase test\n")
        self.assertEqual((status, names), (0, ["build", "test", "all"]))
        self.assertGreaterEqual(processor["build"], 1)
        self.assertGreaterEqual(processor["all"], processor["build"] + processor["test"])

    def test_a_failing_script_prints_them_too_and_keeps_its_status(self):
        self.assertEqual(run("begin_phase build\n(exit 7)\nbegin_phase test\n")[:2],
                         (7, ["build", "all"]))
        self.assertEqual(run("begin_phase build\nexit 3\n")[:2], (3, ["build", "all"]))

    def test_a_script_without_phases_prints_nothing(self):
        self.assertEqual(run("true\n")[:2], (0, []))


if __name__ == "__main__":
    unittest.main()

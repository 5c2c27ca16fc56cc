"""A tuning that ends in the middle, two at once, and files that someone damaged."""
import pathlib
import signal
import subprocess
import time
import unittest

from command import COMMAND, SHORT, CommandTest

# As long as a busy machine needs for a few kernels, after whose first there is much to measure yet.
TUNE = ("tune", "--precision", "s", "--size", "96", "--ops", "nn,nt", "--budget", "20", "--kernels", "10",
        "--as-is")


def is_running(process):
    """Not if it has ended, and its new parent is still to collect it."""
    try:
        status = pathlib.Path(f"/proc/{process}/stat").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(b")")[2].split()[0] != b"Z"


class Tuning(CommandTest):
    def started(self, *arguments):
        """A tuning under way: it has one measurement more in its journal, and others to go. It is
        stopped, so that it has them however late this process runs again."""
        before = self.measured()
        process = subprocess.Popen([COMMAND, *TUNE, *arguments], env=self.environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   stdin=subprocess.DEVNULL)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 150
        while self.measured() == before and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGSTOP)
        self.assertIsNone(process.poll(), "it ended before it could be interrupted")
        return process

    def journal(self):
        found = list(self.profiles.glob("*.journal")) if self.profiles.exists() else []
        return found[0] if found else None

    def measured(self):
        journal = self.journal()
        return journal.read_bytes().count(b'"measured"') if journal else 0

    def test_that_was_killed_goes_on_where_it_stopped(self):
        for how in (signal.SIGKILL, signal.SIGINT):
            process = self.started()
            process.send_signal(how)
            process.send_signal(signal.SIGCONT)
            process.wait(timeout=60)
            self.assertNotEqual(process.returncode, 0)
            if how == signal.SIGINT:
                self.assertIn("goes on from here", process.stdout.read())
        self.assertFalse(list(self.profiles.glob("*.json")), "nothing half done is a profile")
        kept = self.journal().read_bytes()
        ran = self.duoblas(*TUNE)
        self.assertIn("where it stopped", ran.stdout)
        self.assertTrue(self.journal().read_bytes().startswith(kept[:kept.rfind(b"\n") + 1]))
        self.assertEqual(len(list(self.profiles.glob("*.json"))), 1)

        again = self.duoblas(*TUNE)
        self.assertIn("Nothing has changed", again.stdout)
        self.started("--seed", "7")  # which is another tuning, and measures

    def test_leaves_no_child_behind_when_it_is_killed(self):
        process = self.started()
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(process.pid)],
                                  capture_output=True, text=True, check=False).stdout.split()
        process.kill()
        process.wait(timeout=60)
        deadline = time.monotonic() + 60
        while any(is_running(child) for child in children):
            self.assertLess(time.monotonic(), deadline, "children outlived the tuning")
            time.sleep(0.05)

    def test_refuses_a_second_one_at_the_same_time(self):
        process = self.started()
        second = self.duoblas(*TUNE, expect=1)
        self.assertIn("another tuning", second.stderr)
        self.assertIn(str(process.pid), second.stderr)

    def test_keeps_a_damaged_journal_aside(self):
        self.tuned()
        damage = b'{"journal":"duoblas-tuning","version":99}\n'
        self.journal().write_bytes(damage)
        ran = self.duoblas(*SHORT)
        self.assertIn("version", ran.stdout)
        aside = next(self.profiles.glob("*.journal.unusable"))
        self.assertEqual(aside.read_bytes(), damage)
        self.assertEqual(len(list(self.profiles.glob("*.json"))), 1)

    def test_keeps_its_measurements_in_the_file_that_is_named(self):
        file = self.folder / "elsewhere.journal"
        self.duoblas(*SHORT, "--journal", str(file))
        self.assertIn(b'"measured"', file.read_bytes())
        self.assertIsNone(self.journal(), "there is no second one beside the profile")

    def test_names_the_searches_there_are(self):
        ran = self.duoblas("tune", "--search", "luck", expect=2)
        for name in ("halving", "exhaustive", "random", "coordinate", "phased", "annealing"):
            self.assertIn(name, ran.stderr)


if __name__ == "__main__":
    unittest.main()

"""Runs the built `duoblas` in an environment of its own: no setting of the developer leaks in."""
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

COMMAND = os.environ["DUOBLAS_COMMAND"]
# No shorter tuning takes less: what it measures whatever its budget is takes four seconds of a core.
SHORT = ("tune", "--precision", "s", "--size", "96", "--ops", "nn", "--budget", "2", "--as-is")


class CommandTest(unittest.TestCase):
    """Each test has a folder of its own for profiles and output. The kernel cache is shared."""

    cache = tempfile.TemporaryDirectory()
    tuning = None  # what SHORT left in the first test that wanted it, once there was one
    patience = 240  # seconds for one command

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.profiles = self.folder / "profiles"

    def environment(self, **settings):
        """`DEVICE="none"` sets DUOBLAS_DEVICE. Any OpenCL device will do, which asking for hybrid
        allows."""
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("DUOBLAS_")}
        chosen = {"PROFILE_DIR": str(self.profiles), "CACHE_DIR": self.cache.name,
                  "STRATEGY": "hybrid", **settings}
        environment.update({"DUOBLAS_" + name: value for name, value in chosen.items()})
        return environment

    def duoblas(self, *arguments, expect=0, **settings):
        """Runs it in environment(), checks the exit code, and returns the finished process. Other tests
        run beside it, and that is how a tuning has to take it."""
        if arguments[:1] == ("tune",) and "--as-is" not in arguments and expect == 0:
            arguments += ("--as-is",)
        ran = subprocess.run([COMMAND, *arguments], env=self.environment(**settings),
                             capture_output=True, text=True, timeout=self.patience,
                             stdin=subprocess.DEVNULL)
        self.assertEqual(ran.returncode, expect,
                         f"duoblas {' '.join(arguments)}\n{ran.stdout}\n{ran.stderr}")
        return ran

    def json_of(self, *arguments, **settings):
        """What `--json FILE` writes."""
        path = self.folder / "out.json"
        self.duoblas(*arguments, "--json", str(path), **settings)
        return json.loads(path.read_text(encoding="utf-8"))

    def tuned(self):
        """The document of a tuning SHORT, and its output in self.told. The program tunes once: others
        get copies of the files."""
        if CommandTest.tuning is None:
            kept = tempfile.TemporaryDirectory()
            path = self.folder / "tuned.json"
            ran = self.duoblas(*SHORT, "--json", str(path), CACHE_DIR=CommandTest.cache.name)
            self.assertIn(f"\nProfile: {self.profiles}", ran.stdout)
            CommandTest.tuning = (kept, str(self.profiles), ran.stdout, path.read_text(encoding="utf-8"))
            path.unlink()
            shutil.copytree(self.profiles, kept.name, dirs_exist_ok=True)
        else:
            shutil.copytree(CommandTest.tuning[0].name, self.profiles, dirs_exist_ok=True)
        _, folder, said, document = CommandTest.tuning
        self.told = said.replace(folder, str(self.profiles))
        return json.loads(document.replace(folder, str(self.profiles)))

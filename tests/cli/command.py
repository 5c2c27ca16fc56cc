"""Runs the built `duoblas` in an environment of its own: no setting of the developer leaks in."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

COMMAND = os.environ["DUOBLAS_COMMAND"]


class CommandTest(unittest.TestCase):
    """Each test has a folder of its own for profiles and output. The kernel cache is shared."""

    cache = tempfile.TemporaryDirectory()
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
        """Runs it in environment(), checks the exit code, and returns the finished process."""
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

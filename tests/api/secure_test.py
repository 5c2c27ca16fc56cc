"""A set-user-ID program that is linked with the library: no variable says where libraries, profiles and
caches are, and OpenCL, which asks variables of its own, is not loaded. Needs root, who makes the program."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = pathlib.Path(sys.argv.pop(1))
NOBODY = 65534


class SetUserId(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest("it takes root to make a program set-user-ID")
        # Beside the program, where file systems have such programs more often than in /tmp.
        scratch = tempfile.TemporaryDirectory(dir=PROGRAM.parent)
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.folder.chmod(0o755)
        self.writable = self.folder / "writable"
        self.writable.mkdir()
        self.writable.chmod(0o777)

    def run_as_nobody(self, name, mode, **settings):
        program = self.folder / name
        shutil.copyfile(PROGRAM, program)
        program.chmod(mode)
        home = str(self.writable)
        environment = {"PATH": os.environ["PATH"], "HOME": home, "XDG_CACHE_HOME": home, "XDG_CONFIG_HOME": home,
                       **settings}
        try:
            ran = subprocess.run([program], env=environment, capture_output=True, text=True, user=NOBODY,
                                 group=NOBODY, extra_groups=[], check=False, timeout=200, cwd="/")
        except PermissionError:
            self.skipTest(f"other users may not enter {PROGRAM.parent}")
        if "cannot open shared object file" in ran.stderr:
            self.skipTest(f"other users may not read the library: {ran.stderr}")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout.strip()

    def test_has_no_opencl_and_no_files_of_its_user(self):
        forced = {"DUOBLAS_STRATEGY": "hybrid", "DUOBLAS_CHECK": "off"}
        # Without more rights the same variables are followed, into a device where there is one.
        plain = self.run_as_nobody("plain", 0o755, **forced)
        self.assertTrue(plain.startswith("secure 0 "), plain)
        if not plain.endswith("opencl 1"):
            self.skipTest("OpenCL's loader is missing")
        shutil.rmtree(self.writable)
        self.writable.mkdir()
        self.writable.chmod(0o777)
        bad = {"DUOBLAS_CPU_BLAS": "/nowhere/libblas.so", "DUOBLAS_DEVICE": "nothing"}
        ran = self.run_as_nobody("privileged", 0o4755, **forced, **bad)
        if ran.startswith("secure 0 "):
            self.skipTest("this file system has no set-user-ID programs")
        self.assertEqual(ran, "secure 1 status 0 opencl 0")
        self.assertEqual(list(self.writable.iterdir()), [])


if __name__ == "__main__":
    result = unittest.main(exit=False, verbosity=2).result
    sys.exit(1 if not result.wasSuccessful() else 77 if result.skipped else 0)

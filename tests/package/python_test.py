"""The Python package: it starts Python again with the drop-in, shows what became of calls, and says
what it cannot do. As in the wheel, the command lies beside it."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND, PACKAGE = sys.argv[1:3]

# A product that asks both sides, with the BLAS that is there.
PRODUCT = """
import ctypes, duoblas
ctypes.CDLL("libopenblas.so.0", ctypes.RTLD_GLOBAL)
def multiply():
    n, one, zero = ctypes.c_int(400), ctypes.c_double(1), ctypes.c_double(0)
    a, b, c = ((ctypes.c_double * 160000)(*[1] * 160000) for _ in range(3))
    sizes = [ctypes.byref(n)] * 3
    ctypes.CDLL(None).dgemm_(b"N", b"N", *sizes, ctypes.byref(one), a, ctypes.byref(n), b,
                             ctypes.byref(n), ctypes.byref(zero), c, ctypes.byref(n))
    assert c[0] == c[159999] == 400
"""
CHOSEN = PRODUCT + """
duoblas.set_strategy("hybrid")
multiply()
assert duoblas.last_call().strategy == "hybrid", duoblas.last_call()
"""
CHOICES = PRODUCT + """
assert duoblas.last_call() is None
multiply()
did = duoblas.last_call()
assert did.strategy == "hybrid" and not did.passed_on and did.seconds > 0, did
assert "both sides were asked for" in did.reason, did
duoblas.set_check("always")
duoblas.set_strategy("cpu")
multiply()
assert duoblas.last_call().passed_on, duoblas.last_call()
duoblas.set_strategy("gpu")
multiply()
assert duoblas.last_call().strategy == "gpu", duoblas.last_call()
for wrong in (duoblas.set_strategy, duoblas.set_check):
    try:
        wrong("best")
    except ValueError as error:
        print(error)
print(duoblas.summary())
"""

# What threadpoolctl gives a controller, and asks of it.
THREADPOOLCTL = """
import ctypes
class LibController:
    def __init__(self, path):
        self.dynlib = ctypes.CDLL(path)
        self.set_additional_attributes()
controllers = []
register = controllers.append
"""
THREADS = PRODUCT + """
import threadpoolctl
(controller,) = threadpoolctl.controllers
seen = controller("libduoblas_blas.so.0")
assert seen.get_version() == duoblas.version()
assert any("openblas" in path for path in seen.behind), seen.behind
for number in (1, 2):
    seen.set_num_threads(number)
    assert seen.get_num_threads() == number
"""


class ThePackage(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        package = self.folder / "duoblas"
        package.mkdir()
        for source in pathlib.Path(PACKAGE).glob("*.py"):
            (package / source.name).write_bytes(source.read_bytes())
        self.command = package / "bin" / "duoblas"
        self.command.parent.mkdir()
        self.command.symlink_to(COMMAND)

    def python(self, *arguments, expect=0, python=sys.executable, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("DUOBLAS_") and name != "LD_PRELOAD"}
        environment.update({"PYTHONPATH": str(self.folder), "DUOBLAS_PROFILE_DIR": str(self.folder),
                            "DUOBLAS_CACHE_DIR": str(self.folder), **variables})
        ran = subprocess.run([python, "-B", *arguments], env=environment, capture_output=True,
                             text=True, timeout=120, check=False, cwd=self.folder)
        self.assertEqual(ran.returncode, expect, ran.stdout + ran.stderr)
        return ran

    def test_starts_scripts_code_and_modules_as_python_does(self):
        say = ("import sys, duoblas; "
               "print(duoblas.is_loaded(), sys.argv[1:], sys.flags.optimize, sys.flags.dev_mode)")
        (self.folder / "said.py").write_text(say, encoding="utf-8")
        for program in (["said.py"], ["-c", say], ["-m", "said"]):
            with self.subTest(program):
                ran = self.python("-X", "dev", "-Om", "duoblas", *program, "-m", "duoblas")
                self.assertEqual(ran.stdout, "True ['-m', 'duoblas'] 1 True\n")
        self.assertEqual(self.python("-m", "duoblas", "-c", "raise SystemExit(3)", expect=3).stderr, "")

    def test_keeps_what_is_preloaded_already_and_a_virtual_environment(self):
        maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
        other = next(word for word in maps.split() if "/libm.so" in word or "/libm-" in word)
        venv = self.folder / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
        ran = self.python("-m", "duoblas", "-c", "import os, sys; print(os.environ['LD_PRELOAD'], sys.prefix)",
                          python=str(venv / "bin" / "python"), LD_PRELOAD=other)
        preload, prefix = ran.stdout.split()
        self.assertIn(other, preload.split(":"))
        self.assertIn("libduoblas_blas.so", preload)
        self.assertEqual(prefix, str(venv))

    def test_gives_the_command_the_openblas_of_its_wheel_unless_the_user_named_one(self):
        library = self.folder / "scipy_openblas32" / "lib" / "libscipy_openblas.so"
        library.parent.mkdir(parents=True)
        library.write_bytes(b"")
        show = "import os; print(os.environ['DUOBLAS_CPU_BLAS'])"
        self.assertEqual(self.python("-m", "duoblas", "-c", show).stdout, f"{library}\n")
        ran = self.python("-m", "duoblas", "-c", show, DUOBLAS_CPU_BLAS="/mine.so")
        self.assertEqual(ran.stdout, "/mine.so\n")

    def test_says_what_it_cannot_do(self):
        self.assertIn("usage: python -m duoblas", self.python("-m", "duoblas", expect=2).stderr)
        ran = self.python("-c", "import duoblas; print(duoblas.is_loaded(), duoblas.last_call());"
                                "duoblas.set_strategy('cpu')", expect=1)
        self.assertEqual(ran.stdout, "False None\n")
        self.assertIn("RuntimeError: the drop-in BLAS is not in this process: start", ran.stderr)
        self.command.unlink()
        ran = self.python("-m", "duoblas", "-c", "", expect=1)
        self.assertRegex(ran.stderr, r"^duoblas: /.*/bin/duoblas is missing: .*\n$")

    def test_shows_and_chooses_who_computes(self):
        ran = self.python("-m", "duoblas", "--summary", "-c", CHOICES, DUOBLAS_STRATEGY="hybrid")
        self.assertEqual(ran.stdout.splitlines()[:2], ["'best' is none of auto, cpu, gpu, hybrid",
                                                       "'best' is none of off, sampled, always"])
        self.assertRegex(ran.stdout, r"\ndgemm +2 +0 +1 ")

    def test_starts_the_device_for_a_program_that_chooses_it(self):
        self.python("-m", "duoblas", "-c", CHOSEN)

    def test_has_a_controller_for_threadpoolctl(self):
        (self.folder / "threadpoolctl.py").write_text(THREADPOOLCTL, encoding="utf-8")
        self.python("-m", "duoblas", "-c", THREADS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

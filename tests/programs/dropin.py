"""Runs real programs as they are and with the drop-in BLAS preloaded, and reads what the library
says of their products."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

DROPIN = os.environ["DUOBLAS_DROPIN"]
# Kernels are compiled once for all of these tests: they are not what is tested here.
KERNELS = os.environ["DUOBLAS_KERNELS"]
GUESTS = pathlib.Path(__file__).resolve().parent / "guests"

# Both sides work in every product, however small; on any OpenCL device, which asking for it allows.
FORCED = {"STRATEGY": "hybrid", "SPLIT": "8/16"}

NOT_RUN = 77  # what CMakeLists.txt tells CTest to report as skipped

# A line per call at DUOBLAS_VERBOSE=2, and the guests' own marks between them.
CALL = re.compile(r"duoblas: [sdcz]\w+(?: (?:[mnk]|rows|columns)=\d+)+(?: transposed)?: \w+, "
                  r"gpu (\d+) of \d+")
CASE = re.compile(r"^case (\S+)$", re.MULTILINE)
TAG = re.compile(r"\[1,(\d+)\]<std(?:out|err)>:")


class Ran:
    """A program that has ended; well, unless it `failed`."""

    def __init__(self, output, errors, failed=False):
        self.output = output
        self.errors = errors
        self.failed = failed

    def gpu_products(self):
        """How many calls the GPU had a part of."""
        return gpu_products(self.errors)

    def gpu_products_by_case(self):
        """The same, for each case that the guest announced."""
        pieces = CASE.split(self.errors)
        return {name: gpu_products(text) for name, text in zip(pieces[1::2], pieces[2::2])}


def gpu_products(text):
    return sum(int(part) > 0 for part in CALL.findall(text))


def of_ranks(output):
    """{rank: what it printed}. mpirun tags whatever it reads at once, which may begin or end in the
    middle of a line."""
    _, *pieces = TAG.split(output)
    texts = {}
    for rank, text in zip(map(int, pieces[0::2]), pieces[1::2]):
        texts[rank] = texts.get(rank, "") + text
    return texts


def of_rank(rank, output):
    return of_ranks(output).get(rank, "")


def untagged(output):
    """What all ranks printed, one after the other."""
    return "".join(of_ranks(output).values())


def results_of(output):
    """The lines `NAME SCALE VALUE...` that Octave's and R's guests print. SCALE is the rounding
    error that a product of these operands may have, in the Frobenius norm."""
    results = {}
    for line in output.splitlines():
        name, *numbers = line.split()
        results[name] = tuple(float(number) for number in numbers)
    return results


class ProgramTest(unittest.TestCase):
    """Each test has a folder of its own, in which its programs run."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def need(self, program, origin):
        """The path of a program or file. A test that misses one says so and counts as not run."""
        path = shutil.which(program) or (program if os.path.exists(program) else None)
        if path is None:
            self.skipTest(f"{program} is missing; it comes with {origin}")
        return str(path)

    def need_numpy(self, python, origin):
        """The interpreter, if it has NumPy."""
        path = self.need(python, origin)
        has = "import importlib.util as u; print(u.find_spec('numpy') is not None)"
        if self.launch(path, "-c", has).output.strip() != "True":
            self.skipTest(f"{path} has no NumPy; it comes with {origin}")
        return path

    def debian_numpy(self):
        return self.need_numpy("/usr/bin/python3", "Debian's python3-numpy")

    def launch(self, *command, dropin=None, variables=None, may_fail=False):
        """Runs `command`, with the drop-in if `dropin` is a dictionary of its settings. Its code is
        0, unless it `may_fail`."""
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("DUOBLAS_") and name != "LD_PRELOAD"}
        environment.update(variables or {})
        if dropin is not None:
            environment["LD_PRELOAD"] = DROPIN
            settings = {"VERBOSE": "2", "CACHE_DIR": KERNELS,
                        "PROFILE_DIR": str(self.folder / "profiles"), **dropin}
            environment.update({"DUOBLAS_" + name: value for name, value in settings.items()})
        # Files, not pipes: a process that outlives the program must not keep this one waiting.
        with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
            code = subprocess.run(command, env=environment, cwd=self.folder, timeout=500,
                                  stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=errors, check=False).returncode
            output.seek(0)
            errors.seek(0)
            ran = Ran(output.read(), errors.read(), code != 0)
        if not may_fail:
            self.assertEqual(code, 0, f"{command}\n{ran.output[-4000:]}\n{ran.errors[-4000:]}")
        return ran

    def launch_ranks(self, count, *command, dropin=None, apart=None, variables=None):
        """Runs ranks of Open MPI. `apart`: variables of rank 0 alone."""
        mpirun = self.need("mpirun.openmpi", "Debian's openmpi-bin")
        # More ranks than cores are fine here, and a container's only user may be root. Each rank's BLAS has one
        # thread. hwloc's plug-in would open OpenCL before the stand-in is set.
        allowed = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                   "OPENBLAS_NUM_THREADS": "1", "HWLOC_COMPONENTS": "-opencl", **(variables or {})}
        ranks = ["-n", str(count), *command]
        if apart:
            first = ["env", *(f"{name}={value}" for name, value in apart.items())]
            ranks = ["-n", "1", *first, *command, ":", "-n", str(count - 1), *command]
        return self.launch(mpirun, "--bind-to", "none", "--oversubscribe", "--tag-output", *ranks,
                           dropin=dropin, variables=allowed)

    def assert_on_both_sides(self, ran, group):
        """The GPU had a part of every case of the group: cases are called GROUP.NAME."""
        counts = {case: count for case, count in ran.gpu_products_by_case().items()
                  if case.startswith(group + ".")}
        self.assertTrue(counts, group)
        for case, count in counts.items():
            with self.subTest(case):
                self.assertGreater(count, 0)

    def assert_same_results(self, ran, plain):
        """Both runs may be off by the scale that they print."""
        got, expected = results_of(ran.output), results_of(plain.output)
        self.assertEqual(got.keys(), expected.keys())
        self.assertTrue(got)
        for name, (scale, *values) in got.items():
            _, *reference = expected[name]
            self.assertEqual(len(values), len(reference), name)
            distance = sum((x - y) ** 2 for x, y in zip(values, reference)) ** 0.5
            self.assertLess(distance, 2 * scale, name)


def main():
    result = unittest.main(exit=False, verbosity=2).result
    sys.exit(1 if not result.wasSuccessful() else NOT_RUN if result.skipped else 0)

"""`duoblas run`: programs start as they always do, with the drop-in BLAS before their own; and
`--summary` counts their calls."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from command import COMMAND, CommandTest

LIBRARIES = pathlib.Path(os.environ["DUOBLAS_TEST_LIBRARIES"])
HOST = os.environ["DUOBLAS_TEST_HOST"]
SANITIZED_HOST = os.environ["DUOBLAS_TEST_SANITIZED_HOST"]
PROFILE_MAKER = os.environ["DUOBLAS_TEST_PROFILE_MAKER"]
DROPIN = str(LIBRARIES / "libduoblas_blas.so.0")
BLAS = "global:libopenblas.so.0"
CALLER = str(LIBRARIES / "libduoblas_caller.so")
SMALL, LARGE = CALLER + ":dgemm_small", CALLER + ":dgemm_large"
ILLEGAL = CALLER + ":dgemm_illegal"

FORCED = {"STRATEGY": "hybrid", "SPLIT": "8/16"}
AUTOMATIC = {"STRATEGY": "auto", "START_MS": "0"}

# Two calls of ssyrk: ones of 16 x 16, and an illegal size.
SYRK = """
import ctypes
ctypes.CDLL("libopenblas.so.0", ctypes.RTLD_GLOBAL)
def syrk(n):
    order, k, ld = ctypes.c_int(n), ctypes.c_int(16), ctypes.c_int(16)
    alpha, beta = ctypes.c_float(1), ctypes.c_float(0)
    a, c = (ctypes.c_float * 256)(*[1] * 256), (ctypes.c_float * 256)()
    ctypes.CDLL(None).ssyrk_(b"U", b"N", *map(ctypes.byref, (order, k, alpha)), a,
                             *map(ctypes.byref, (ld, beta)), c, ctypes.byref(ld))
    return list(c)
c = syrk(16)
assert all(c[i + 16 * j] == (16 if i <= j else 0) for j in range(16) for i in range(16))
syrk(-1)
"""

# Calls of dcopy: 60 whose elements lie far apart, and one whose elements do not.
COPIES = """
import ctypes
ctypes.CDLL("libopenblas.so.0", ctypes.RTLD_GLOBAL)
n, far, one = ctypes.c_int(6000), ctypes.c_int(64), ctypes.c_int(1)
x, y = (ctypes.c_double * 384000)(*range(384000)), (ctypes.c_double * 6000)()
copy = ctypes.CDLL(None).dcopy_
for step in [far] * 60 + [one]:
    copy(ctypes.byref(n), x, ctypes.byref(step), y, ctypes.byref(one))
    assert list(y) == list(x[:6000 * step.value:step.value])
"""


# A call of dgemm that is large enough for both sides, and too small to start a device for it alone.
MIDDLING = """
import ctypes
ctypes.CDLL("libopenblas.so.0", ctypes.RTLD_GLOBAL)
n, one, zero = ctypes.c_int(400), ctypes.c_double(1), ctypes.c_double(0)
a, b, c = ((ctypes.c_double * 160000)(*[1] * 160000) for _ in range(3))
sizes = [ctypes.byref(n)] * 3
ctypes.CDLL(None).dgemm_(b"N", b"N", *sizes, ctypes.byref(one), a, ctypes.byref(n), b,
                         ctypes.byref(n), ctypes.byref(zero), c, ctypes.byref(n))
assert c[0] == c[159999] == 400
"""


class RunTest(CommandTest):
    def run_program(self, *arguments, preload=None, **settings):
        environment = self.environment(**settings)
        environment.pop("LD_PRELOAD", None)
        if preload is not None:
            environment["LD_PRELOAD"] = preload
        return subprocess.run([COMMAND, "run", *arguments], env=environment, capture_output=True,
                              text=True, timeout=120, input="typed\n", check=False)

    def assert_both_sides(self, host):
        ran = self.run_program("--", host, BLAS, SMALL, VERBOSE="2", **FORCED)
        self.assertEqual((ran.returncode, ran.stdout), (0, "dgemm_small right\n"), ran.stderr)
        self.assertIn("dgemm m=6 n=6 k=6: hybrid, gpu ", ran.stderr)

    def counts(self, *arguments, **settings):
        """What the summary says: {"dgemm": [with GPU, CPU only, passed on, ...texts]}."""
        ran = self.run_program("--summary", "--", *arguments, **settings)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("wrong", ran.stdout)
        self.assertEqual(ran.stderr.count("duoblas: the matrix products of "), 1, ran.stderr)
        rows = re.findall(r"^([sdcz]\w+) +(\d+) +(\d+) +(\d+) +(\S+) +(\S+) +(\S+)$", ran.stderr,
                          re.MULTILINE)
        return {name: [int(count) for count in row[:3]] + row[3:] for name, *row in rows}


class AProgram(RunTest):
    def test_passes_its_exit_code_output_and_input_on(self):
        for marker in ([], ["--"]):
            ran = self.run_program(*marker, "sh", "-c", "cat; echo told >&2; exit 37")
            self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (37, "typed\n", "told\n"))

    def test_gets_its_arguments_as_they_are(self):
        ran = self.run_program("--", "printf", "%s.", "--summary", "--", "", "a b")
        self.assertEqual(ran.stdout, "--summary.--..a b.")

    def test_is_the_process_itself_so_that_signals_reach_it(self):
        ran = self.run_program("--", "sh", "-c", "kill -TERM $$")
        self.assertEqual(ran.returncode, -signal.SIGTERM)

    def test_has_the_drop_in_before_what_was_preloaded_already(self):
        show = ("--", "sh", "-c", 'echo "$LD_PRELOAD"')
        self.assertEqual(self.run_program(*show).stdout, DROPIN + "\n")
        self.assertEqual(self.run_program(*show, preload="").stdout, DROPIN + "\n")
        other = str(LIBRARIES / "libduoblas_next_blas.so")
        self.assertEqual(self.run_program(*show, preload=other).stdout, f"{DROPIN}:{other}\n")

    def test_has_it_behind_a_sanitizers_runtime_which_has_to_come_first(self):
        other = str(LIBRARIES / "libduoblas_plain_blas.so")
        show = ("--", "sh", "-c", 'echo "$LD_PRELOAD"')
        for name, more in (("libtsan.so.2", ""), ("libclang_rt.ubsan_standalone-x86_64.so", ""),
                           ("libasan.so.8", ":libstdc++.so.6")):
            runtime = str(self.folder / name)
            os.symlink(LIBRARIES / "libduoblas_next_blas.so", runtime)
            for separator in ": ":
                ran = self.run_program(*show, preload=separator.join([runtime, other]))
                self.assertEqual(ran.stdout, f"{runtime}:{DROPIN}:{other}{more}\n")

    def test_multiplies_on_both_sides(self):
        self.assert_both_sides(HOST)


@unittest.skipUnless(SANITIZED_HOST, "the compiler has no AddressSanitizer")
class AProgramWithAddressSanitizer(RunTest):
    """And without its search for leaks: drivers leave some."""

    def environment(self, **settings):
        return {**super().environment(**settings), "ASAN_OPTIONS": "detect_leaks=0"}

    def test_multiplies_on_both_sides(self):
        self.assert_both_sides(SANITIZED_HOST)

    def test_starts_from_a_shell_too(self):
        ran = self.run_program("--", "sh", "-c", '"$@"', "sh", SANITIZED_HOST, BLAS, SMALL, **FORCED)
        self.assertEqual((ran.returncode, ran.stdout), (0, "dgemm_small right\n"), ran.stderr)
        self.assertIn("preload libstdc++.so.6, too", ran.stderr)


class WhatCannotBeRun(RunTest):
    def test_has_the_shells_exit_codes(self):
        ran = self.run_program("--", "no-such-program-anywhere")
        self.assertEqual(ran.returncode, 127)
        self.assertIn("cannot run no-such-program-anywhere: No such file", ran.stderr)
        plain_file = self.folder / "plain"
        plain_file.write_text("text", encoding="utf-8")
        ran = self.run_program("--", str(plain_file))
        self.assertEqual(ran.returncode, 126)
        self.assertIn(f"cannot run {plain_file}: Permission denied", ran.stderr)

    def test_is_wrong_usage_where_no_program_was_given(self):
        for arguments in ([], ["--"], ["--summary"], ["--summary", "--"]):
            ran = self.run_program(*arguments)
            self.assertEqual(ran.returncode, 2)
            self.assertIn("duoblas run -- ", ran.stderr)
        ran = self.run_program("--sumary", "--", "true")
        self.assertEqual(ran.returncode, 2)
        self.assertIn("--sumary", ran.stderr)

    def alone(self, folder):
        """A copy of the command in a folder that has no library beside it."""
        programs = self.folder / folder / "bin"
        programs.mkdir(parents=True)
        return shutil.copy(COMMAND, programs / "duoblas")

    def refused(self, command):
        ran = subprocess.run([command, "run", "--", "true"], env=self.environment(), check=False,
                             capture_output=True, text=True, timeout=60)
        self.assertEqual(ran.returncode, 1)
        return ran.stderr

    def test_says_what_to_do_where_the_drop_in_is_missing(self):
        message = self.refused(self.alone("moved"))
        self.assertIn(str(self.folder / "moved/lib/libduoblas_blas.so.0"), message)
        self.assertIn("cmake --install", message)

    def test_is_refused_where_the_path_cannot_be_preloaded(self):
        command = self.alone("with blank")
        (self.folder / "with blank/lib").mkdir()
        shutil.copy(DROPIN, self.folder / "with blank/lib")
        self.assertIn("LD_PRELOAD cannot hold blanks", self.refused(command))


class LinesOfCalls(RunTest):
    """DUOBLAS_VERBOSE=2: one for each call, passed on or not, but for the smallest."""

    def lines(self, *actions, **settings):
        ran = self.run_program("--", HOST, BLAS, *actions, VERBOSE="2", **settings)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return [line for line in ran.stderr.splitlines() if " m=" in line or " n=" in line]

    def test_say_why_the_programs_blas_does_a_call(self):
        for settings, reason in (
                ({"STRATEGY": "cpu"}, "the CPU was asked for"),
                ({"DEVICE": "none"}, "there is no OpenCL device to use"),
                (AUTOMATIC, "the device was being started")):
            said = self.lines(SMALL, LARGE, SMALL, **settings)
            self.assertEqual(len(said), 1, said)
            self.assertRegex(said[0], r"^duoblas: dgemm m=\d+ n=\d+ k=\d+: the program's own BLAS; "
                             + re.escape(reason))

    def test_are_as_many_as_there_are_calls(self):
        said = self.lines(*[LARGE] * 60, **AUTOMATIC, DEVICE="0")
        self.assertEqual(len(said), 60)
        said = self.lines(SMALL, LARGE, **FORCED)
        self.assertEqual([": hybrid, gpu " in line for line in said], [True, True], said)

    def test_are_one_for_a_call_of_several_products(self):
        ran = self.run_program("--", sys.executable, "-c", SYRK, VERBOSE="2", **FORCED)
        said = [line for line in ran.stderr.splitlines() if "syrk" in line]
        self.assertEqual(len(said), 1, ran.stderr)
        self.assertRegex(said[0], r"^duoblas: ssyrk n=16 k=16: hybrid, "
                                  r"gpu \d+ of \d+ (rows|lines in one job)")


class Summary(RunTest):
    def test_is_printed_only_where_it_was_asked_for(self):
        for settings in (FORCED, AUTOMATIC):
            ran = self.run_program("--", HOST, BLAS, SMALL, LARGE, **settings)
            self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        ran = self.run_program("--summary", "--", "true")
        self.assertEqual(ran.stderr, "", "a program without products")

    def test_counts_what_both_sides_did_and_what_was_passed_on(self):
        dgemm = self.counts(HOST, BLAS, SMALL, ILLEGAL, LARGE, SMALL, **FORCED)["dgemm"]
        self.assertEqual(dgemm[:3], [3, 0, 1])
        self.assertGreater(float(dgemm[3]), 0)
        self.assertEqual(dgemm[5], "-", "nothing was tuned, so nothing can be expected")

    def test_counts_every_routine_by_its_name(self):
        self.assertEqual(self.counts(sys.executable, "-c", SYRK, **FORCED)["ssyrk"][:3], [1, 0, 1])

    def test_counts_copies_of_far_apart_elements_and_who_made_them(self):
        ran = self.run_program("--summary", "--", sys.executable, "-c", COPIES, **FORCED)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        line = re.search(r"^\?copy of far-apart elements: (\d+) calls by several threads, (\d+) by "
                         r"the caller's, (\d+) passed on; (\S+) million elements in (\S+) s$",
                         ran.stderr, re.MULTILINE)
        self.assertIsNotNone(line, ran.stderr)
        team, caller, passed_on = (int(calls) for calls in line.groups()[:3])
        self.assertEqual(team + caller + passed_on, 60)
        self.assertAlmostEqual(float(line[4]), 6000e-6 * (team + caller), delta=0.06)

    def test_counts_small_calls_that_no_engine_sees(self):
        for settings in (AUTOMATIC, {"STRATEGY": "cpu"}):
            calls = self.counts(HOST, BLAS, SMALL, f"threads:{SMALL}", SMALL, **settings)
            self.assertEqual(calls, {"dgemm": [0, 0, 10, "-", "-", "-"]})

    def reasons(self, *arguments, **settings):
        """{"passed on: the CPU was asked for": 3, ...}"""
        ran = self.run_program("--summary", "--", *arguments, **settings)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        _, found, rest = ran.stderr.partition("calls, and why they were done there:\n")
        self.assertTrue(found, ran.stderr)
        return {reason: int(calls) for calls, reason in
                re.findall(r"^ +(\d+)  ((?:with GPU|CPU only|passed on): .+)$", rest, re.M)}

    def test_counts_calls_by_their_reason(self):
        self.assertEqual(self.reasons(HOST, BLAS, SMALL, ILLEGAL, LARGE, SMALL, **FORCED),
                         {"with GPU: the split was given": 3,
                          "passed on: an argument is illegal": 1})
        self.assertEqual(self.reasons(HOST, BLAS, SMALL, LARGE, LARGE, STRATEGY="cpu"),
                         {"passed on: the CPU was asked for": 2,
                          "passed on: too small for the GPU": 1})
        self.assertEqual(self.reasons(HOST, BLAS, LARGE, DEVICE="none"),
                         {"passed on: there is no OpenCL device to use (\"duoblas devices\" says "
                          "why)": 1})
        self.assertEqual(self.reasons(HOST, BLAS, LARGE, **AUTOMATIC),
                         {"passed on: the device was being started": 1})
        self.assertEqual(self.reasons(sys.executable, "-c", MIDDLING, **AUTOMATIC),
                         {"passed on: the process had not multiplied enough to start the device "
                          "for it": 1})
        self.assertEqual(self.reasons(HOST, BLAS, LARGE, SPLIT="half"),
                         {"passed on: a setting is wrong (an earlier line names it)": 1})

    def test_says_what_the_start_of_the_device_cost_and_brought(self):
        # A cache of its own: nothing is known of what a start takes here.
        ran = self.run_program("--summary", "--", HOST, BLAS, LARGE, LARGE, STRATEGY="auto", STANDIN="1",
                               CACHE_DIR=str(self.folder / "cache"))
        told = re.search(r"\nthe device: (?:not started\. From the first call on it would have saved about "
                         r"\d+\.\d\d s, and a start loses \d+\.\d\d s(?:: the next run starts it at once)?"
                         r"|started after (\d+\.\d\d) s of calls, (?:ready|and not ready) .*)\n", ran.stderr)
        self.assertIsNotNone(told, ran.stderr)
        if told[1]:  # the first call of a busy machine may take as long as pays for a start
            self.assertGreater(float(told[1]), 0.65 * 0.5, ran.stderr)
        for milliseconds in (4000, 12000, 40000):  # a busy machine takes longer to be ready
            ran = self.run_program("--summary", "--", HOST, BLAS, f"for-ms:{milliseconds}:{LARGE}", STANDIN="1",
                                   **AUTOMATIC)
            if "and not ready before the end" not in ran.stderr:
                break
        self.assertRegex(ran.stderr, r"\nthe device: started after 0\.00 s of calls, ready \d+\.\d\d s later; calls "
                                     r"with it took \d+\.\d\d s (less|more) than the CPU alone\n"
                                     r"outlay: start +1  cost \d\.\d{3} s, expected to bring \d+\.\d\d s\n")
        self.assertRegex(ran.stderr, r"\noutlays in sum: cost \d+\.\d{3} s, and brought -?\d+\.\d\d s\n")

    def test_says_in_one_line_what_to_do_on_a_machine_that_was_not_tuned(self):
        # A CPU device that is named, and is no stand-in, resembles no shipped profile anywhere.
        line = "passed on: this machine was not tuned (run \"duoblas tune\")"
        for calls in (100, 400, 1600):
            said = self.reasons(HOST, BLAS, *[LARGE] * calls, **AUTOMATIC, DEVICE="0")
            self.assertEqual(sum(said.values()), calls)
            if line in said:
                return
        self.fail(said)

    def test_is_the_programs_without_its_forked_children(self):
        calls = self.counts(HOST, BLAS, SMALL, f"fork:{SMALL}", f"fork:{LARGE}", LARGE, **FORCED)
        self.assertEqual(calls["dgemm"][:3], [2, 0, 0])

    def test_says_what_was_won_where_the_machine_is_tuned(self):
        # The profile promises far too much. What the CPU shows meanwhile must not take it back.
        settings = {**AUTOMATIC, "STANDIN": "1", "ADAPT": "0"}
        subprocess.run([PROFILE_MAKER], check=True, timeout=60, env=self.environment(**settings))
        # The device opens meanwhile, which takes as long as the machine has else to do.
        for calls in (100, 400, 1600):
            with_gpu, on_cpu, passed_on, _, _, won = self.counts(HOST, BLAS, *[LARGE] * calls,
                                                                 **settings)["dgemm"]
            self.assertEqual(with_gpu + on_cpu + passed_on, calls)
            if with_gpu > 0:
                break
        self.assertGreater(with_gpu, 0)
        self.assertRegex(won, r"^[+-]\d+\.\d{3}$")


if __name__ == "__main__":
    unittest.main()

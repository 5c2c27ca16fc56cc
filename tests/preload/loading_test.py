"""When libduoblas and OpenCL enter a process, and what happens where they cannot; threads, forks
and exits around that moment."""
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

from dropin_process import (CALLER, CPU_BLAS, DROPIN, FORCED, HOST, MULTIPLYING_CONSTRUCTOR,
                            SANITIZED_HOST, SLOW_DRIVER, STANDIN, TIMING_ENGINE, HostTest,
                            host_environment, run_host)

BLAS = "global:" + CPU_BLAS
SMALL, MIDDLING, LARGE = (CALLER + ":dgemm_" + size for size in ("small", "middling", "large"))
RIGHT_SMALL, RIGHT_LARGE = "dgemm_small right", "dgemm_large right"
ENGINE = ["mapped libduoblas.so", "mapped libOpenCL"]


class Loading(HostTest):
    def loaded(self, *actions, **settings):
        ran = self.expect_lines(*actions, "maps", **settings)
        return [line for line in ran if line in ENGINE]

    def expect_lines(self, *actions, **settings):
        ran = run_host(*actions, **settings)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("wrong", ran.stdout)
        return ran.stdout.splitlines()

    def test_does_not_happen_in_a_program_that_does_not_multiply(self):
        self.assertEqual(self.expect_lines("maps"), [])

    def test_does_not_happen_for_small_products(self):
        self.assertEqual(self.loaded(BLAS, SMALL, SMALL), [])

    def test_does_not_happen_where_the_cpu_was_asked_for(self):
        self.assertEqual(self.loaded(BLAS, LARGE, DUOBLAS_STRATEGY="cpu"), [])
        self.assertEqual(self.loaded(BLAS, LARGE, DUOBLAS_DEVICE="none"), [])

    def test_happens_at_a_large_product(self):
        self.assertIn(ENGINE[0], self.loaded(BLAS, LARGE))

    def test_needs_no_absolute_path_wherever_the_program_goes(self):
        folder, name = os.path.split(DROPIN)
        self.assertIn(ENGINE[0], self.loaded("chdir:/", BLAS, LARGE, cwd=os.path.dirname(folder),
                                             preload=f"{os.path.basename(folder)}/{name}"))

    def test_happens_after_more_work_in_smaller_products(self):
        """Three have as many flops as a large one."""
        self.assertEqual(self.loaded(BLAS, *[MIDDLING] * 3), [])
        self.assertIn(ENGINE[0], self.loaded(BLAS, *[MIDDLING] * 10))

    def test_happens_at_once_where_both_sides_are_forced(self):
        self.assertEqual(sorted(self.loaded(BLAS, SMALL, **FORCED)), sorted(ENGINE))

    def test_adds_nothing_to_the_programs_own_names(self):
        """The C++ library is there, for the engine alone."""
        self.assertNotIn("mapped libstdc++", self.expect_lines(BLAS, SMALL, "maps"))


class ATunedMachine(HostTest):
    """Whose profile says that both sides are faster than the CPU alone."""

    def promised(self, profiles, **more):
        settings = {**STANDIN, "DUOBLAS_PROFILE_DIR": profiles, **more}
        subprocess.run([os.environ["DUOBLAS_TEST_PROFILE_MAKER"]], check=True, timeout=60,
                       env=host_environment(None, **settings))
        return settings

    def test_does_not_believe_a_profile_that_promises_too_much(self):
        """The profile says a second for the CPU, which takes milliseconds."""
        with tempfile.TemporaryDirectory() as profiles:
            actions = [LARGE] * 90 + [f"fork:{LARGE}", LARGE] * 10
            said = self.expect(BLAS, *actions, **self.promised(profiles), DUOBLAS_VERBOSE="2",
                               says=["dgemm_large right"] * len(actions))
        # How many depends on what else the machine does: by the profile there would be none.
        self.assertRegex(said, "the CPU alone is fastest|to find out how fast this way is")

    def test_gets_both_sides_when_the_device_has_started_and_no_call_waits_for_that(self):
        with tempfile.TemporaryDirectory() as profiles:
            settings = self.promised(profiles, DUOBLAS_ADAPT="0")
            # A fork waits for what is being opened or built just then, so that a busy machine
            # has the kernels at last.
            actions = [LARGE] * 90 + [f"fork:{LARGE}", LARGE] * 10
            calls = actions.count(LARGE)
            said = self.expect(BLAS, *actions, **settings, DUOBLAS_VERBOSE="2",
                               says=["dgemm_large right"] * len(actions))
        both = [line for line in said.splitlines() if ": hybrid, gpu " in line]
        self.assertGreater(len(both), 0, said)
        self.assertLess(len(both), calls, "the first call waited for the device")


class TheDevice(HostTest):
    def test_is_not_started_before_calls_have_taken_long_enough_to_pay_for_it(self):
        """dgemm_large takes some ten milliseconds."""
        ran = run_host(BLAS, *[LARGE] * 3, "maps", DUOBLAS_START_MS="600000", DUOBLAS_VERBOSE="2",
                       **STANDIN)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn(ENGINE[1], ran.stdout)
        self.assertIn("the process had not multiplied enough", ran.stderr)

    def test_is_started_once_they_have(self):
        """A fast machine does 60 of them in less than a tenth of a second."""
        ran = run_host(BLAS, *[LARGE] * 60, f"fork:{LARGE}", LARGE, "maps",
                       DUOBLAS_START_MS="10", DUOBLAS_VERBOSE="2", **STANDIN)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(ENGINE[1], ran.stdout)
        lines = [line for line in ran.stderr.splitlines() if "dgemm" in line]
        self.assertIn("had not multiplied enough", lines[0])


class AnEngineOfItsOwn(HostTest):
    """In a folder with the drop-in."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dropin = shutil.copy(DROPIN, pathlib.Path(folder.name) / "libduoblas_blas.so.0")
        shutil.copy(TIMING_ENGINE, pathlib.Path(folder.name) / "libduoblas.so.0")


class ASparedCore(AnEngineOfItsOwn):
    def threads(self, *actions, says, before="2"):
        said = self.expect(BLAS, f"set-threads:{before}", *actions, "threads?", preload=self.dropin,
                           DUOBLAS_VERBOSE="2", DUOBLAS_TEST_ENGINE="sparing", says=says)
        return re.findall(r"^1100 rows on (\d+) threads$", said, re.MULTILINE)

    def test_is_one_less_for_the_call_alone(self):
        self.assertEqual(self.threads(LARGE, SMALL, LARGE,
                                      says=["dgemm_large right", "dgemm_small right",
                                            "dgemm_large right", "threads 2"]), ["1", "1"])

    def test_is_not_the_only_one(self):
        self.assertEqual(self.threads(LARGE, before="1", says=["dgemm_large right", "threads 1"]),
                         ["1"])

    def test_is_the_same_for_calls_of_several_threads(self):
        counts = self.threads(f"threads:{LARGE}", says=["dgemm_large right", "threads 2"])
        self.assertEqual(counts, ["1"] * 8)


class TimedCalls(AnEngineOfItsOwn):
    def test_are_those_of_the_next_symbol_that_the_engine_asks_for(self):
        said = self.expect(BLAS, LARGE, SMALL, LARGE, preload=self.dropin,
                           says=["dgemm_large right", "dgemm_small right", "dgemm_large right"])
        noted = re.findall(r"^dgemm of \d+ rows took (\d+\.\d+) s$", said, re.MULTILINE)
        self.assertEqual(len(noted), 2, said)
        for seconds in noted:
            self.assertGreater(float(seconds), 0)


class MissingEngine(HostTest):
    def test_leaves_every_product_to_the_next_symbol(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(DROPIN, pathlib.Path(folder) / "libduoblas_blas.so.0")
            for settings in ({}, FORCED):
                self.assert_told(self.expect(BLAS, SMALL, LARGE, LARGE, preload=str(alone),
                                             **settings, says=[RIGHT_SMALL] + [RIGHT_LARGE] * 2))

    def test_is_told_once_to_whoever_asked_for_it(self):
        """Of a program that is linked against the drop-in nobody has to know."""
        with tempfile.TemporaryDirectory() as folder:
            linked = "global:" + shutil.copy(DROPIN, folder)
            self.assertEqual(self.expect(linked, BLAS, LARGE, preload=None, says=[RIGHT_LARGE]), "")
            for settings in ({"DUOBLAS_STRATEGY": "gpu"}, {"DUOBLAS_SPLIT": "1/2"},
                             {"DUOBLAS_VERBOSE": "1"}):
                self.assert_told(self.expect(linked, BLAS, LARGE, LARGE, preload=None, **settings,
                                             says=[RIGHT_LARGE] * 2))

    @unittest.skipUnless(SANITIZED_HOST, "the compiler has no AddressSanitizer")
    def test_is_better_than_one_whose_exceptions_end_a_program_with_address_sanitizer(self):
        """Which is one of C. Any driver, or a wrong setting, may throw."""
        for settings in (FORCED, {"DUOBLAS_SPLIT": "half"}):
            said = self.expect(BLAS, SMALL, LARGE, program=SANITIZED_HOST, **settings,
                               ASAN_OPTIONS="detect_leaks=0:verify_asan_link_order=0",
                               says=[RIGHT_SMALL, RIGHT_LARGE])
            self.assert_told(said)
            self.assertIn("preload libstdc++.so.6, too", said)

    def assert_told(self, said):
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertIn("duoblas: the CPU does every product: ", said)

    def test_is_like_an_engine_whose_settings_are_wrong_but_that_says_so(self):
        said = self.expect(BLAS, SMALL, LARGE, DUOBLAS_SPLIT="half",
                           says=["dgemm_small right", "dgemm_large right"])
        self.assertEqual(len(said.splitlines()), 1, said)
        self.assertIn("DUOBLAS_SPLIT=half is not understood", said)


class AProgramThatUnloadsIt(unittest.TestCase):
    """Which has 1,024 keys for values of its threads, like any other."""
    LOOP = """
import ctypes, sys
libc = ctypes.CDLL(None)
libc.dlopen.restype = libc.dlsym.restype = ctypes.c_void_p
n, one, a = ctypes.c_int(32), ctypes.c_double(1), (ctypes.c_double * 1024)(*[1] * 1024)
for _ in range(1100):
    library = ctypes.c_void_p(libc.dlopen(sys.argv[1].encode(), 2))
    dgemm = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 13)(libc.dlsym(library, b"dgemm_"))
    sizes, c = [ctypes.addressof(n)] * 3, (ctypes.c_double * 1024)()
    dgemm(ctypes.cast(b"N", ctypes.c_void_p), ctypes.cast(b"N", ctypes.c_void_p), *sizes,
          ctypes.addressof(one), ctypes.addressof(a), sizes[0], ctypes.addressof(a), sizes[0],
          ctypes.addressof(one), ctypes.addressof(c), sizes[0])
    assert list(c) == [32] * 1024
    assert libc.dlclose(library) == 0
sys.exit(libc.pthread_key_create(ctypes.byref(ctypes.c_uint()), None))
"""

    def test_keeps_its_keys_for_threads(self):
        ran = subprocess.run([sys.executable, "-c", self.LOOP, DROPIN], capture_output=True,
                             text=True, env=host_environment(None, **FORCED), timeout=120,
                             check=False)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))


class Processes(HostTest):
    def test_eight_threads_may_make_the_first_call_together(self):
        for settings in ({}, FORCED, STANDIN):
            for product in (SMALL, LARGE):
                name = product.split(":")[1]
                self.expect(BLAS, f"threads:{product}", f"threads:{product}", **settings,
                            says=[f"{name} right"] * 2)

    def test_a_thread_that_is_cancelled_ends_after_its_call(self):
        for settings in (FORCED, {"DUOBLAS_SUMMARY": "1"}):
            self.expect(BLAS, f"cancel:{LARGE}", f"cancel:{SMALL}", LARGE, **settings,
                        says=["dgemm_large right", "dgemm_small right", "dgemm_large right"])

    def test_a_thread_may_have_a_small_stack(self):
        """Smaller than PoCL's start and its compiler need."""
        call = f"small-stack:96:{LARGE}"
        for settings in ({**FORCED, **STANDIN}, STANDIN):
            with tempfile.TemporaryDirectory() as cache, self.subTest(**settings):
                self.expect(BLAS, call, call, call, **settings, POCL_CACHE_DIR=cache,
                            says=["dgemm_large right"] * 3)

    def test_a_fork_may_come_before_the_first_call(self):
        for settings in ({}, FORCED, STANDIN):
            self.expect(BLAS, f"fork:{LARGE}", LARGE, f"fork:{LARGE}", **settings,
                        says=["dgemm_large right"] * 3)

    def test_a_fork_may_come_while_the_device_starts(self):
        for _ in range(10):
            self.expect(BLAS, LARGE, f"fork:{LARGE}", f"fork:{LARGE}", LARGE,
                        says=["dgemm_large right"] * 4)

    def test_the_program_may_end_while_the_device_starts(self):
        for _ in range(10):
            self.expect(BLAS, LARGE, says=["dgemm_large right"])
            self.expect(BLAS, LARGE, says=["dgemm_large right"], **STANDIN)

    def with_slow_driver(self, *actions, **settings):
        with tempfile.TemporaryDirectory() as vendors:
            (pathlib.Path(vendors) / "slow.icd").write_text(SLOW_DRIVER)
            begun = vendors + "/begun"  # which may take until after the calls
            said = self.expect(BLAS, *actions, "wait:" + begun, OCL_ICD_VENDORS=vendors, **settings,
                               DUOBLAS_TEST_DRIVER_BEGUN=begun,
                               says=["dgemm_large right"] * len(actions))
        self.assertIn("the driver is there", said)

    def test_the_program_may_end_while_a_driver_is_loaded_whichever_thread_multiplied(self):
        for action in (LARGE, f"threads:{LARGE}"):
            with self.subTest(action):
                self.with_slow_driver(action)

    def test_a_drivers_constructor_may_multiply_or_fork(self):
        # Not a fork beside the program's products: OpenBLAS's own handler hangs then in any
        # program.
        for what, settings in (("multiply", {}), ("multiply", FORCED), ("fork", FORCED)):
            with self.subTest(what, **settings):
                self.with_slow_driver(LARGE, LARGE, **settings, DUOBLAS_TEST_DRIVER=what)

    def test_the_program_may_end_or_fork_while_a_driver_compiles(self):
        for actions in ([LARGE], [LARGE], [LARGE], [LARGE, f"fork:{LARGE}", LARGE]):
            with tempfile.TemporaryDirectory() as cache:
                self.expect(BLAS, *actions, says=["dgemm_large right"] * len(actions),
                            POCL_CACHE_DIR=cache, **STANDIN)

    def test_the_program_may_close_every_file_and_use_their_numbers(self):
        with tempfile.TemporaryDirectory() as cache:
            self.expect(BLAS, LARGE, f"daemon:{LARGE}", f"daemon:{LARGE}",
                        says=["dgemm_large right"] * 3, DUOBLAS_STRATEGY="hybrid",
                        DUOBLAS_CACHE_DIR=cache, **STANDIN)

    def test_the_program_may_have_a_limit_on_its_files(self):
        """Which neither ours nor a driver's may exceed, but that is no reason to end it."""
        for settings in (FORCED, STANDIN):
            with tempfile.TemporaryDirectory() as folder, self.subTest(**settings):
                environment = host_environment(
                    DROPIN, **settings, DUOBLAS_CACHE_DIR=folder + "/ours",
                    POCL_CACHE_DIR=folder + "/pocl")
                ran = subprocess.run([HOST, BLAS, LARGE, LARGE], env=environment, text=True,
                                     capture_output=True, timeout=120, check=False,
                                     preexec_fn=lambda: resource.setrlimit(
                                         resource.RLIMIT_FSIZE, (4096, 4096)))
                self.assertEqual((ran.returncode, ran.stdout), (0, "dgemm_large right\n" * 2),
                                 ran.stderr)

    def test_the_program_may_lack_what_a_driver_needs(self):
        """PoCL would end it: where its linker's status is lost, there is none, or no cache."""
        ignore = lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        # A copy of PoCL may bring a linker of its own, so this is the installed one.
        alone = {"PATH": "/nonexistent", "OCL_ICD_VENDORS": "/etc/OpenCL/vendors/pocl.icd"}
        for says, before, lacking in (
                ("ignores SIGCHLD", ignore, {}),
                ("no linker", None, alone),
                ("cannot write its cache", None, {"POCL_CACHE_DIR": "/dev/null/nowhere"})):
            for settings in ({**FORCED, **STANDIN}, STANDIN):
                with tempfile.TemporaryDirectory() as cache, self.subTest(says, **settings):
                    environment = host_environment(DROPIN, **settings, DUOBLAS_VERBOSE="2")
                    environment.update({"POCL_CACHE_DIR": cache, **lacking})
                    ran = subprocess.run([HOST, BLAS, LARGE, LARGE, LARGE], env=environment,
                                         text=True, capture_output=True, timeout=120, check=False,
                                         preexec_fn=before)
                    self.assertEqual((ran.returncode, ran.stdout), (0, "dgemm_large right\n" * 3),
                                     ran.stderr)
                    if "DUOBLAS_STRATEGY" in settings:  # else it may end before the device starts
                        self.assertIn(says, ran.stderr)

    def test_a_plug_ins_constructor_may_multiply_or_fork_while_a_thread_loads_the_engine(self):
        plug_in = MULTIPLYING_CONSTRUCTOR + ":constructor_and_thread"
        for what in ("multiply", "fork"):
            with self.subTest(what):
                self.expect(BLAS, SMALL, plug_in, LARGE, DUOBLAS_TEST_CONSTRUCTOR=what,
                            says=["dgemm_small right", "constructor_and_thread right",
                                  "dgemm_large right"])

    def test_the_hosts_number_of_threads_stays_as_it_set_it(self):
        for settings in ({}, FORCED):
            self.expect(BLAS, "set-threads:1", LARGE, LARGE, "threads?", **settings,
                        says=["dgemm_large right"] * 2 + ["threads 1"])

    @unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "one core: nobody has more than one thread")
    def test_our_side_has_no_more_threads_than_the_host_allows_its_own(self):
        def tasks(*actions):
            ran = run_host(BLAS, *actions, LARGE, LARGE, "tasks", **FORCED)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            return int(ran.stdout.split()[-1])

        self.assertLess(tasks("set-threads:1"), tasks())


if __name__ == "__main__":
    unittest.main()

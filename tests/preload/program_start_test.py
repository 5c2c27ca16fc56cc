"""What the drop-in does before main(): threads of OpenBLAS that sleep, and the device of a program
that is on the list. The engine computes nothing, and says when it is begun."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from dropin_process import DROPIN, PLAIN, STANDIN, TIMING_ENGINE, HostTest, host_environment, key_of

PROGRAM = shutil.which("env")
LINKED_PAUSE = os.environ.get("DUOBLAS_TEST_LINKED_PAUSE")
BEGUN = "began before the first call\n"


class AProgramBegins(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.dropin = shutil.copy(DROPIN, self.folder)
        shutil.copy(TIMING_ENGINE, self.folder / "libduoblas.so.0")
        self.list = self.folder / "cache" / "programs" / "at-start"
        self.list.parent.mkdir(parents=True, mode=0o700)

    def run_program(self, *arguments, program=PROGRAM, **settings):
        settings.setdefault("DUOBLAS_CACHE_DIR", str(self.folder / "cache"))
        settings.setdefault("DUOBLAS_START_MS", "")
        environment = host_environment(self.dropin, **settings)
        environment.pop("OPENBLAS_THREAD_TIMEOUT", None)
        environment.update(settings)
        return subprocess.run([program, *arguments], env=environment, capture_output=True, text=True,
                              timeout=60, check=True)

    def write_list(self, *programs, salt=7):
        self.list.write_text("".join(f"{number:016x}\n" for number in (salt, *programs)))
        self.list.chmod(0o600)

    def said(self, *arguments, **settings):
        return self.run_program(*arguments, **settings).stderr

    def test_with_its_device_if_it_is_listed_with_these_arguments(self):
        self.assertEqual(self.said(), "")
        self.write_list(1, key_of(7, PROGRAM), 2)
        self.assertEqual(self.said(), BEGUN)
        self.assertEqual(self.said("-0"), "")
        self.write_list(key_of(7, PROGRAM, "-0"))
        self.assertEqual(self.said("-0"), BEGUN)

    def test_as_a_rank_of_a_host_with_its_own_place_on_the_list(self):
        def rank(number, **more):
            return {"OMPI_COMM_WORLD_LOCAL_RANK": number, "OMPI_COMM_WORLD_SIZE": "4", **more}

        self.write_list(key_of(7, PROGRAM, rank="1"), key_of(7, PROGRAM, rank="rank:2/4"))
        for begun, settings in ((False, {}), (False, rank("0")), (True, rank("1")), (False, rank("3")),
                                (False, rank("1", OMPI_COMM_WORLD_SIZE="1")),  # no rank of many
                                (True, {"PMIX_RANK": "1"}), (True, rank("0", DUOBLAS_DEVICE="rank:2/4"))):
            self.assertEqual(self.said(**settings), BEGUN if begun else "", settings)

    def test_without_it_where_the_list_is_of_another_salt_or_damaged(self):
        own = key_of(7, PROGRAM)
        self.write_list(own, salt=8)
        self.assertEqual(self.said(), "")
        self.write_list(2, 3, salt=own)  # the salt is no program
        self.assertEqual(self.said(), "")
        for text in ("", "no list", f"{7:016x}", f"\n{own:016x}\n", f"{7:016x}\n{own:016x}"):
            self.list.write_text(text)
            self.assertEqual(self.said(), "", text)

    def test_without_it_where_others_may_write_the_list(self):
        self.write_list(key_of(7, PROGRAM))
        for mode in (0o620, 0o602):
            self.list.chmod(mode)
            self.assertEqual(self.said(), "")
        self.list.chmod(0o600)
        elsewhere = self.list.rename(self.folder / "elsewhere")
        self.list.symlink_to(elsewhere)
        self.assertEqual(self.said(), "")
        self.list.unlink()
        os.mkfifo(self.list, 0o600)
        self.assertEqual(self.said(), "", "nobody writes to it")
        self.list.unlink()
        elsewhere.rename(self.list)
        self.list.parent.chmod(0o770)
        self.assertEqual(self.said(), "")
        self.list.parent.chmod(0o700)
        self.assertEqual(self.said(), BEGUN)

    def test_without_it_where_the_user_asked_for_something_else(self):
        self.write_list(key_of(7, PROGRAM))
        for settings in ({"DUOBLAS_STRATEGY": "cpu"}, {"DUOBLAS_DEVICE": "none"},
                         {"DUOBLAS_STRATEGY": "gpu"}, {"DUOBLAS_SPLIT": "1/2"},
                         {"DUOBLAS_START_MS": "0"}, {"DUOBLAS_HISTORY": "off"},
                         {"DUOBLAS_ADAPT": "0"}):
            self.assertEqual(self.said(**settings), "", settings)

    def test_and_is_seen_to_change_what_chooses_its_blas(self):
        """Its history would have one key before main() and another at its first call."""
        for name in ("", "FLEXIBLAS", "OPENBLAS_CORETYPE", "GOTO_NUM_THREADS", "OMP_NUM_THREADS",
                     "BLIS_ARCH_TYPE", "MKL_NUM_THREADS"):
            changes = ("-c", f"import os; os.environ['{name or 'ANOTHER'}'] = '7'")
            self.write_list(key_of(7, sys.executable, *changes))
            said = self.said(*changes, program=sys.executable)
            self.assertEqual(said, BEGUN + ("the surroundings changed\n" if name else ""), name)

    def test_and_its_list_is_in_the_cache(self):
        self.write_list(key_of(7, PROGRAM))
        home = self.folder / "home"
        for below, variable in ((".cache/duoblas", "HOME"), ("duoblas", "XDG_CACHE_HOME")):
            shutil.copytree(self.folder / "cache", home / below)
            settings = {"DUOBLAS_CACHE_DIR": "", "XDG_CACHE_HOME": "", variable: str(home)}
            self.assertEqual(self.said(**settings), BEGUN, below)

    def timeout(self, **how):
        lines = self.run_program(**how).stdout.splitlines()
        (told,) = (line for line in lines if line.startswith("OPENBLAS_THREAD_TIMEOUT=")) or ("",)
        return told.partition("=")[2]

    def test_with_threads_that_sleep_after_two_milliseconds(self):
        self.assertEqual(self.timeout(), "22")
        self.assertEqual(self.timeout(OPENBLAS_THREAD_TIMEOUT="26"), "26")

    def test_with_threads_as_they_are_where_nothing_is_to_be_ours(self):
        self.assertNotIn("OPENBLAS_THREAD_TIMEOUT",
                         self.run_program(DUOBLAS_STRATEGY="cpu").stdout)

    @unittest.skipIf(not LINKED_PAUSE or (os.cpu_count() or 1) < 2, "no threads that could spin")
    def test_with_threads_that_sleep_where_it_is_linked_with_their_blas(self):
        def pauses(**settings):
            """Of five runs: the threads' processor times, and how long they were awake."""
            runs = (self.run_program(program=LINKED_PAUSE, **settings).stdout for _ in range(5))
            return zip(*(map(float, run.split()) for run in runs))

        used, _ = pauses()
        self.assertLess(min(used), 15)
        for settings, why in (({"OPENBLAS_THREAD_TIMEOUT": "28"}, "the user chose"),
                              ({"DUOBLAS_STRATEGY": "cpu"}, "nothing is to be ours")):
            _, awake = pauses(**settings)  # a spinning thread of a busy machine may have no core
            self.assertGreater(max(awake), 20, why)


class AListedProgram(HostTest):
    def test_is_taken_off_the_list_by_a_run_that_had_nothing_for_the_device(self):
        with tempfile.TemporaryDirectory() as cache:
            programs = pathlib.Path(cache) / "programs"
            programs.mkdir(mode=0o700)
            listed = programs / "at-start"
            host = os.environ["DUOBLAS_TEST_HOST"]
            action = "global:" + PLAIN
            listed.write_text(f"{7:016x}\n{key_of(7, host, action):016x}\n")
            listed.chmod(0o600)
            settings = {**STANDIN, "DUOBLAS_CACHE_DIR": cache, "DUOBLAS_SUMMARY": "1"}
            settings["DUOBLAS_START_MS"] = ""
            self.expect(action, says=[], **settings)
            self.assertEqual(listed.read_text(), f"{7:016x}\n")


if __name__ == "__main__":
    unittest.main()

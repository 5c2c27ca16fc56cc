"""What a program's calls showed is there for the next program, and only what is true for it."""
import ctypes
import fcntl
import os
import pathlib
import re
import shutil
import struct
import tempfile
import unittest

from dropin_process import CALLER, CPU_BLAS, STANDIN, HostTest

BLAS = "global:" + CPU_BLAS
LARGE = CALLER + ":dgemm_large"
# Milliseconds of calls: the device is open by then, and has been for a while. A machine with much
# else to do takes longer.
LENGTHS = (1000, 4000, 8000, 30000)


def calls(milliseconds=LENGTHS[0]):
    return f"for-ms:{milliseconds}:{LARGE}"


class Learned(HostTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = pathlib.Path(folder.name)
        self.settings = {**STANDIN, "DUOBLAS_CACHE_DIR": folder.name}

    def run_calls(self, *actions, blas=BLAS, **settings):
        actions = actions or (calls(),)
        return self.expect(blas, *actions, **{**self.settings, **settings},
                           says=["dgemm_large right"] * sum(LARGE in a for a in actions))

    def files(self):
        """{name: content}"""
        return {path.name: path.read_bytes() for path in self.cache.glob("learned/*.bin")}

    def new_files(self, *before_calls, **settings):
        """Names of those that runs add, until there is one. The others must be what they were."""
        before = self.files()
        for milliseconds in LENGTHS:
            self.run_calls(*before_calls, calls(milliseconds), **settings)
            after = self.files()
            self.assertEqual({name: after[name] for name in before}, before)
            if after.keys() != before.keys():
                break
        return after.keys() - before.keys()

    def assert_nothing_is_kept(self, **settings):
        before = self.files()
        self.run_calls(**settings)
        self.assertEqual(self.files(), before)

    def test_is_kept_and_kept_again(self):
        self.assertEqual(len(self.new_files()), 1)
        before = self.files()
        for milliseconds in LENGTHS:
            self.run_calls(calls(milliseconds))
            if self.files() != before:
                break
        self.assertEqual(self.files().keys(), before.keys())
        self.assertNotEqual(self.files(), before)

    def test_of_a_machine_that_was_not_tuned_the_summary_says_so(self):
        # With one thread it is another machine than any for which a profile is shipped.
        said = self.run_calls(DUOBLAS_SUMMARY="1", OPENBLAS_NUM_THREADS="1")
        self.assertIn("\ntuning: no profile for this machine", said)
        self.assertIn("duoblas tune", said)

    def test_on_one_thread_is_another_knowledge(self):
        self.new_files()
        self.assertEqual(len(self.new_files("set-threads:1")), 1)
        # A process that has one thread in all has another processor, too.
        self.assertEqual(len(self.new_files(OPENBLAS_NUM_THREADS="1")), 1)

    def test_with_another_blas_is_another_knowledge(self):
        self.new_files()
        ctypes.CDLL(CPU_BLAS)
        maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
        file = re.search(r"/\S*/libopenblas\S*", maps).group()
        with tempfile.TemporaryDirectory() as folder:
            other = shutil.copy(file, pathlib.Path(folder) / "libopenblas.so.0")
            self.assertEqual(len(self.new_files(blas=f"global:{other}")), 1)

    def test_with_other_kernels_of_its_blas_is_another_knowledge(self):
        self.new_files()
        self.assertEqual(len(self.new_files(OPENBLAS_CORETYPE="Nehalem")), 1)

    def test_beside_another_user_of_the_device_is_not_kept(self):
        self.new_files()
        (users,) = self.cache.glob("learned/*.users")
        with users.open("r+b") as file:
            lock = struct.pack("hhqqi", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)
            self.assert_nothing_is_kept()

    def test_of_ranks_that_share_a_device_is_not_kept(self):
        """What checks found right may be, in a file of its own."""
        self.new_files()
        before = self.files()
        self.run_calls(OMPI_COMM_WORLD_SIZE="2")
        after = self.files()
        self.assertEqual({name: after[name] for name in before}, before)
        for name in after.keys() - before.keys():
            self.assertLess(len(after[name]), min(map(len, before.values())))

    def test_is_not_kept_where_it_is_not_used(self):
        self.assert_nothing_is_kept(DUOBLAS_ADAPT="0")
        self.assert_nothing_is_kept(DUOBLAS_STRATEGY="hybrid", DUOBLAS_SPLIT="8/16")

    def test_that_is_damaged_is_learned_again(self):
        (name,) = self.new_files()
        path = self.cache / "learned" / name
        for content in (b"", b"damaged" * 100):
            path.write_bytes(content)
            for milliseconds in LENGTHS:
                self.run_calls(calls(milliseconds))
                if path.read_bytes() != content:
                    break
            self.assertNotEqual(path.read_bytes(), content)
            self.assertGreater(len(path.read_bytes()), 100)

    def test_needs_no_place(self):
        self.run_calls(DUOBLAS_CACHE_DIR="/dev/null/nowhere")
        (self.cache / "learned").write_text("a file, not a folder")
        self.run_calls()

    def test_tells_that_the_device_is_of_no_use_to_a_program(self):
        """A CPU device that is named resembles no shipped profile, and no call has it: its start is
        in vain."""
        def starts_nothing(milliseconds, start="", **settings):
            said = self.run_calls(calls(milliseconds), DUOBLAS_STANDIN="0", DUOBLAS_DEVICE="0", DUOBLAS_VERBOSE="2",
                                  DUOBLAS_START_MS=start, **settings)
            passed_on = said.count("the program's own BLAS")
            return passed_on > 0 and passed_on == said.count("had not multiplied enough")

        for milliseconds in (4000, 12000, 40000):  # the first run may end before the device is open
            cache = str(self.cache / str(milliseconds))
            self.assertFalse(starts_nothing(milliseconds, DUOBLAS_CACHE_DIR=cache), "of an unknown machine all is hoped")
            if starts_nothing(milliseconds, DUOBLAS_CACHE_DIR=cache):
                break
        else:
            self.fail("each start was in vain")
        self.assertFalse(starts_nothing(milliseconds, "0", DUOBLAS_CACHE_DIR=cache), "what the user says stands")


if __name__ == "__main__":
    unittest.main()

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
# The device is open by then, and has been for a while.
CALLS = ["for-ms:2000:" + LARGE]


class Learned(HostTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = pathlib.Path(folder.name)
        self.settings = {**STANDIN, "DUOBLAS_CACHE_DIR": folder.name}

    def run_calls(self, *actions, blas=BLAS, **settings):
        actions = actions or CALLS
        return self.expect(blas, *actions, **{**self.settings, **settings},
                           says=["dgemm_large right"] * sum(LARGE in a for a in actions))

    def files(self):
        """{name: content}"""
        return {path.name: path.read_bytes() for path in self.cache.glob("learned/*.bin")}

    def new_files(self, *actions, **settings):
        """Names of those that a run adds. The others must be what they were."""
        before = self.files()
        self.run_calls(*actions, **settings)
        after = self.files()
        self.assertEqual({name: after[name] for name in before}, before)
        return after.keys() - before.keys()

    def test_is_kept_and_kept_again(self):
        self.assertEqual(len(self.new_files()), 1)
        before = self.files()
        self.run_calls()
        self.assertEqual(self.files().keys(), before.keys())
        self.assertNotEqual(self.files(), before)

    def test_on_one_thread_is_another_knowledge(self):
        self.run_calls()
        self.assertEqual(len(self.new_files("set-threads:1", *CALLS)), 1)
        self.assertEqual(len(self.new_files(*CALLS, OPENBLAS_NUM_THREADS="1")), 1)

    def test_with_another_blas_is_another_knowledge(self):
        self.run_calls()
        ctypes.CDLL(CPU_BLAS)
        maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
        file = re.search(r"/\S*/libopenblas\S*", maps).group()
        with tempfile.TemporaryDirectory() as folder:
            other = shutil.copy(file, pathlib.Path(folder) / "libopenblas.so.0")
            self.assertEqual(len(self.new_files(*CALLS, blas=f"global:{other}")), 1)

    def test_beside_another_user_of_the_device_is_not_kept(self):
        self.run_calls()
        (users,) = self.cache.glob("learned/*.users")
        with users.open("r+b") as file:
            lock = struct.pack("hhqqi", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0)
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)
            self.assertEqual(self.new_files(), set())

    def test_of_ranks_that_share_a_device_is_not_kept(self):
        self.assertEqual(self.new_files(OMPI_COMM_WORLD_SIZE="2"), set())

    def test_is_not_kept_where_it_is_not_used(self):
        self.assertEqual(self.new_files(DUOBLAS_ADAPT="0"), set())
        self.assertEqual(self.new_files(DUOBLAS_STRATEGY="hybrid", DUOBLAS_SPLIT="8/16"), set())

    def test_that_is_damaged_is_learned_again(self):
        self.run_calls()
        ((name, _),) = self.files().items()
        path = self.cache / "learned" / name
        for content in (b"", b"damaged" * 100):
            path.write_bytes(content)
            self.run_calls()
            self.assertGreater(len(path.read_bytes()), 100)

    def test_needs_no_place(self):
        self.run_calls(DUOBLAS_CACHE_DIR="/dev/null/nowhere")
        (self.cache / "learned").write_text("a file, not a folder")
        self.run_calls()

    def test_tells_how_long_a_program_should_wait_with_starting_the_device(self):
        """A CPU device that is named resembles no shipped profile, and no call has it: each start
        is in vain."""
        settings = {"DUOBLAS_STANDIN": "0", "DUOBLAS_DEVICE": "0", "DUOBLAS_VERBOSE": "2"}
        waited = [self.run_calls("for-ms:4000:" + LARGE, **settings, DUOBLAS_START_MS=start)
                  .count("had not multiplied enough") for start in ("", "", "0")]
        self.assertGreater(waited[0], 1)
        self.assertGreater(waited[1], 1.2 * waited[0])
        self.assertEqual(waited[2], 0, "what the user says stands")


if __name__ == "__main__":
    unittest.main()

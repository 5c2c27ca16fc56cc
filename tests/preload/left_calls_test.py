"""Programs that leave a call before it ends, by longjmp or by an exception: their later calls are
as ever. An engine that computes nothing says which calls it was asked for."""
import pathlib
import re
import shutil
import tempfile
import unittest

from dropin_process import CPU_BLAS, DROPIN, LEAVING_CALLS, LEAVING_LAPACK, TIMING_ENGINE, HostTest

WAYS = ("left_by_longjmp", "left_by_exception", "left_by_signal_handler", "left_by_error_exit")
FACTORISED, PRODUCT = "1500", "1100"


class ACallThatWasLeft(HostTest):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.dropin = shutil.copy(DROPIN, self.folder / "libduoblas_blas.so.0")
        shutil.copy(TIMING_ENGINE, self.folder / "libduoblas.so.0")

    def said(self, name, *actions, more=(), **settings):
        return self.expect("global:" + LEAVING_LAPACK, f"{LEAVING_CALLS}:{name}", *actions, preload=self.dropin, **settings,
                           says=[name + " right", *more])

    def timed(self, *names, **settings):
        said = "".join(self.said(name, **settings) for name in names)
        return re.findall(r"gemm of (\d+) rows took", said)

    def test_takes_no_later_call_for_a_part_of_it(self):
        self.assertEqual(self.timed("not_left"), [FACTORISED, PRODUCT])
        for way in WAYS:
            with self.subTest(way):
                self.assertEqual(self.timed(way), [PRODUCT])

    def test_leaves_later_calls_their_parts(self):
        for way in WAYS:
            with self.subTest(way):
                said = self.said(way, f"{LEAVING_CALLS}:not_left", more=["not_left right"])
                self.assertEqual(re.findall(r"gemm of (\d+) rows took", said),
                                 [PRODUCT, FACTORISED, PRODUCT])

    def test_returns_its_reserved_core_at_the_next_call(self):
        for way in ("not_left", *WAYS):
            with self.subTest(way):
                self.said(way, "threads?", more=["threads 4"], DUOBLAS_TEST_ENGINE="sparing")

    def test_through_an_error_exit_of_ours_leaves_the_thread_cancellable(self):
        for name in ("libblas.so.3", CPU_BLAS, "libcblas.so.3"):
            (self.folder / name).touch()
        self.said("cancellable_after_error_exit", LD_LIBRARY_PATH=str(self.folder))


if __name__ == "__main__":
    unittest.main()

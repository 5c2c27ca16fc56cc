"""Runs dropin_host with the drop-in preloaded. What the tests need to know of the build comes from
the environment that CTest gives them."""
import os
import pathlib
import struct
import subprocess
import unittest

LIBRARIES = pathlib.Path(os.environ["DUOBLAS_TEST_LIBRARIES"])
HOST = os.environ["DUOBLAS_TEST_HOST"]
SANITIZED_HOST = os.environ.get("DUOBLAS_TEST_SANITIZED_HOST")
CPU_BLAS = "libopenblas.so.0"
DROPIN = str(LIBRARIES / "libduoblas_blas.so.0")
NEXT = str(LIBRARIES / "libduoblas_next_blas.so")
PLAIN = str(LIBRARIES / "libduoblas_plain_blas.so")
TIMING_ENGINE = str(LIBRARIES / "libduoblas_timing_engine.so")
CALLER = str(LIBRARIES / "libduoblas_caller.so")
MULTIPLYING_CONSTRUCTOR = str(LIBRARIES / "libduoblas_multiplying_constructor.so")
SLOW_DRIVER = str(LIBRARIES / "libduoblas_slow_driver.so")
LEAVING_LAPACK = str(LIBRARIES / "libduoblas_leaving_lapack.so")
LEAVING_CALLS = str(LIBRARIES / "libduoblas_leaving_calls.so")
CALLER_OF_NEXT = str(LIBRARIES / "libduoblas_caller_of_next.so")

FORCED = {"DUOBLAS_STRATEGY": "hybrid", "DUOBLAS_SPLIT": "8/16"}
STANDIN = {"DUOBLAS_STANDIN": "1"}


def host_environment(preload, **settings):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("DUOBLAS_", "LD_"))}
    kept.update(settings)
    kept.setdefault("DUOBLAS_PROFILE_DIR", "/nonexistent")
    kept.setdefault("DUOBLAS_START_MS", "0")
    kept.setdefault("DUOBLAS_CACHE_DIR", "/dev/null/nowhere")  # which root cannot make either
    if preload:
        kept["LD_PRELOAD"] = preload
    return kept


def run_host(*actions, preload=DROPIN, program=HOST, cwd=None, **settings):
    return subprocess.run([program, *actions], env=host_environment(preload, **settings), cwd=cwd,
                          capture_output=True, text=True, timeout=120, check=False)


def key_of(salt, *arguments, rank=""):
    """FNV-1a of the salt, the executable and its command line; and of a rank's number."""
    line = b"".join(os.fsencode(argument) + b"\0" for argument in arguments)
    sum_ = 0xcbf29ce484222325
    for byte in struct.pack("=Q", salt) + os.fsencode(os.path.realpath(arguments[0])) + line + rank.encode():
        sum_ = (sum_ ^ byte) * 0x100000001b3 % 2**64
    return sum_


class HostTest(unittest.TestCase):
    def expect(self, *actions, says, **how):
        """The host ends well, printing these lines. Returns what it said on standard error."""
        ran = run_host(*actions, **how)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertEqual(ran.stdout.splitlines(), says, ran.stderr)
        return ran.stderr

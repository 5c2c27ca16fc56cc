"""The C interface of two builds of libduoblas in turns, a process each: is one slower?

    two_libraries.py BEFORE/libduoblas.so.0 AFTER/libduoblas.so.0 [--rounds 4] [--sizes 2048,4096]

gemm, syrk, trsm, getrf, potrf, geqrf of s and d, row-major, from NumPy's memory. Printed are medians over processes of
medians of calls, their ratio, and how much the first build's processes differ. Each build has a cache of its own."""
import argparse
import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROW, NO_TRANS, LOWER, NON_UNIT, LEFT = 101, 111, 122, 131, 141
WARM_UP, CALLS = 6, 9


def median_seconds(call, before=lambda: None):
    times = []
    for number in range(WARM_UP + CALLS):
        before()
        begun = time.perf_counter()
        status = call()
        if number >= WARM_UP:
            times.append(time.perf_counter() - begun)
        if status != 0:
            sys.exit(f"status {status}")
    return statistics.median(times)


def measure(library, sizes):
    import numpy as np  # the parent process needs none
    lib, rng, found = ctypes.CDLL(library), np.random.default_rng(1), {}
    integer, pointer = ctypes.c_int64, lambda x: ctypes.c_void_p(x.ctypes.data)
    for letter, number, scalar in (("s", np.float32, ctypes.c_float), ("d", np.float64, ctypes.c_double)):
        for size in sizes:
            n = integer(size)
            a, b, c = (rng.random((size, size)).astype(number) for _ in range(3))
            triangle = (np.tril(a) + size * np.eye(size)).astype(number)
            definite = (a + a.T + 2 * size * np.eye(size)).astype(number)
            work, tau = a.copy(), np.zeros(size, number)
            pivots, info = np.zeros(size, np.int64), np.zeros(1, np.int64)
            of = {name: getattr(lib, f"duoblas_{letter}{name}")
                  for name in ("gemm", "syrk", "trsm", "getrf", "potrf", "geqrf")}
            one, zero = scalar(1), scalar(0)
            calls = {
                "gemm": (lambda: of["gemm"](ROW, NO_TRANS, NO_TRANS, n, n, n, one, pointer(a), n, pointer(b), n,
                                            zero, pointer(c), n), None),
                "syrk": (lambda: of["syrk"](ROW, LOWER, NO_TRANS, n, n, one, pointer(a), n, zero, pointer(c), n), None),
                "trsm": (lambda: of["trsm"](ROW, LEFT, LOWER, NO_TRANS, NON_UNIT, n, n, one, pointer(triangle), n,
                                            pointer(b), n), None),
                "getrf": (lambda: of["getrf"](n, n, pointer(work), n, pointer(pivots), pointer(info)), a),
                "potrf": (lambda: of["potrf"](LOWER, n, pointer(work), n, pointer(info)), definite),
                "geqrf": (lambda: of["geqrf"](n, n, pointer(work), n, pointer(tau)), a),
            }
            for name, (call, source) in calls.items():
                fill = (lambda: None) if source is None else (lambda source=source: np.copyto(work, source))
                found[f"{letter}{name} {size}"] = median_seconds(call, fill)
    print(json.dumps(found))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("libraries", nargs="+", metavar="LIBRARY")
    arguments.add_argument("--rounds", type=int, default=4)
    arguments.add_argument("--sizes", default="2048,4096")
    given = arguments.parse_args()
    sizes = [int(size) for size in given.sizes.split(",")]
    if len(given.libraries) == 1:
        return measure(given.libraries[0], sizes)
    runs = {library: [] for library in given.libraries}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(given.rounds):
            for number, library in enumerate(runs):
                ran = subprocess.run([sys.executable, __file__, library, "--sizes", given.sizes], check=True,
                                     env={**os.environ, "DUOBLAS_CACHE_DIR": f"{folder}/{number}"},
                                     capture_output=True, text=True)
                runs[library].append(json.loads(ran.stdout))
    before, after = runs.values()
    for name in before[0]:
        old, new = ([run[name] for run in of] for of in (before, after))
        print(f"{name:12} {1e3 * statistics.median(old):9.3f} ms, then {1e3 * statistics.median(new):9.3f} ms, "
              f"ratio {statistics.median(new) / statistics.median(old):.3f}; the first by itself {max(old) / min(old):.2f}")


if __name__ == "__main__":
    main()

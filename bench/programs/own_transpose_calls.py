"""Where the time of NumPy's A @ A.T goes, call by call: it is syrk and NumPy's copy of a triangle.

Usage: own_transpose_calls.py KIND N CALLS [fresh|kept|touched]      (float32 or float64)
  fresh    a @ a.T, whose result is new memory in each call (what programs do)
  kept     the result of all calls is the same memory
  touched  new memory in each call, every page of which was written before
With the drop-in preloaded and DUOBLAS_VERBOSE=2 the library's own line stands above each call's: the
way, and the seconds of its parts. Page faults are this process's, over the call."""
import mmap
import resource
import sys
import time

import numpy as np


def faults():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_minflt + used.ru_majflt


def results(way, n, kind):
    """Where each call's result is to be; None: NumPy takes new memory."""
    kept = np.zeros((n, n), kind)
    kept.fill(1)
    while True:
        if way == "fresh":
            yield None
        elif way == "kept":
            yield kept
        else:
            new = np.empty((n, n), kind)
            new.fill(1)
            yield new


def huge_pages():
    try:
        with open("/sys/kernel/mm/transparent_hugepage/enabled", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return "not known"


def main():
    kind, n, calls = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    way = sys.argv[4] if len(sys.argv) > 4 else "fresh"
    if way not in ("fresh", "kept", "touched"):
        sys.exit(f"{way}: fresh, kept or touched is meant")
    a = np.random.default_rng(1).standard_normal((n, n)).astype(kind)
    print(f"{kind} {n}, {way}; NumPy {np.__version__}, pages of {mmap.PAGESIZE}, huge ones: "
          f"{huge_pages()}", flush=True)
    for call, out in zip(range(calls), results(way, n, kind)):
        before, start = faults(), time.perf_counter()
        c = a @ a.T if out is None else np.dot(a, a.T, out=out)
        took = time.perf_counter() - start
        print(f"call {call + 1}: {1e3 * took:.2f} ms, {faults() - before} page faults",
              file=sys.stderr, flush=True)
        del c, out


if __name__ == "__main__":
    main()

"""NumPy's A @ A.T, which it computes by syrk and a copy of the triangle.

Usage: own_transpose.py KIND N SECONDS      (float32 or float64)
Prints the median of the later half of the calls, in milliseconds. With DUOBLAS_SUMMARY=1 and the
drop-in preloaded, the summary says what the product inside took."""
import statistics
import sys
import time

import numpy as np


def main():
    kind, n, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    a = np.random.default_rng(1).standard_normal((n, n)).astype(kind)
    times = []
    begun = time.perf_counter()
    while time.perf_counter() < begun + seconds or len(times) < 4:
        start = time.perf_counter()
        a @ a.T
        times.append(time.perf_counter() - start)
    later = times[len(times) // 2:]
    print(f"{kind} {n}: {1e3 * statistics.median(later):.2f} ms, {len(times)} calls")


if __name__ == "__main__":
    main()

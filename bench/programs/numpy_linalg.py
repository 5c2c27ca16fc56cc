"""Whole calls of numpy.linalg, in milliseconds, one after another. Run it plain and with the drop-in:

    python3 numpy_linalg.py 4096 solve,inv 8
    duoblas run -- python3 numpy_linalg.py 4096 solve,inv 8
"""
import sys
import time

import numpy

ROUTINES = {
    "solve": lambda a, s, b: numpy.linalg.solve(a, b),
    "inv": lambda a, s, b: numpy.linalg.inv(a),
    "cholesky": lambda a, s, b: numpy.linalg.cholesky(s),
    "qr": lambda a, s, b: numpy.linalg.qr(a),
}


def main(n, names, calls):
    random = numpy.random.default_rng(1)
    a, b = random.standard_normal((n, n)), random.standard_normal(n)
    definite = a @ a.T + n * numpy.eye(n)
    for name in names:
        took = []
        for _ in range(calls):
            begun = time.perf_counter()
            result = ROUTINES[name](a, definite, b)
            took.append(1e3 * (time.perf_counter() - begun))
            del result
        print(f"{name} {n}:", *(f"{ms:.1f}" for ms in took), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 4 or not set(sys.argv[2].split(",")) <= set(ROUTINES):
        sys.exit(f"usage: numpy_linalg.py N {','.join(ROUTINES)} CALLS")
    main(int(sys.argv[1]), sys.argv[2].split(","), int(sys.argv[3]))

"""How fast a NumPy program's products become, in a first process and in the next ones.

Usage: first_seconds.py [--seconds 2] [--processes 3] [--case float32:1024 ...]
                        NAME=LIBRARY[,VARIABLE=VALUE...] ...
Each process multiplies two square matrices for that time, then for half a second more. Printed per
process, in milliseconds: the median of that half second, that of calls 2 to 9, the longest call.
Where DUOBLAS_CACHE_DIR is given, the first process of a way knows nothing: its folder `learned` is
removed before. NAME= alone is the plain program."""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time

import ways_of_running


def multiply(kind, n, seconds):
    import numpy as np
    random = np.random.default_rng(1)
    a, b = (random.standard_normal((int(n), int(n))).astype(kind) for _ in range(2))
    each = []
    begun = last = time.perf_counter()
    while last < begun + float(seconds) + 0.5:
        a @ b
        now = time.perf_counter()
        each.append((now - begun, now - last))
        last = now
    late = [took for at, took in each if at > float(seconds)] or [each[-1][1]]
    print(1e3 * statistics.median(late),
          1e3 * statistics.median([took for _, took in each[1:9]] or [each[0][1]]),
          1e3 * max(took for _, took in each))


def main():
    if sys.argv[1:2] == ["--child"]:
        return multiply(*sys.argv[2:])
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seconds", type=float, default=2)
    arguments.add_argument("--processes", type=int, default=3)
    arguments.add_argument("--case", action="append")
    arguments.add_argument("ways", nargs="+", metavar="NAME=LIBRARY")
    given = arguments.parse_args()
    cases = given.case or [f"float{bits}:{n}" for bits in (32, 64) for n in (1024, 2048, 4096)]
    print(f"{'case':14}{'way':12}" + "".join(f"{f'process {p + 1}: late, 2-9, longest':>36}"
                                             for p in range(given.processes)))
    for case in cases:
        for name, way in (way.split("=", 1) for way in given.ways):
            environment = ways_of_running.environment(way)
            if "DUOBLAS_CACHE_DIR" in environment:
                shutil.rmtree(os.path.join(environment["DUOBLAS_CACHE_DIR"], "learned"),
                              ignore_errors=True)
            line = f"{case:14}{name:12}"
            for _ in range(given.processes):
                ran = subprocess.run([sys.executable, __file__, "--child", *case.split(":"),
                                      str(given.seconds)], check=False, env=environment,
                                     capture_output=True, text=True)
                if ran.returncode:
                    sys.exit(f"{case} with {way or 'nothing'}: {ran.stderr}")
                line += "".join(f"{float(number):12.3f}" for number in ran.stdout.split())
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

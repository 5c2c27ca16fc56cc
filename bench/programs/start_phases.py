"""Where the seconds of a process go that multiplies beside a device that is being started.

Usage: start_phases.py [--rounds 6] [--case float64:1200:150 ...] NAME=LIBRARY[,VARIABLE=VALUE...] ...
A case is a type, n of square products, and how many. Prints medians: starting Python, importing
NumPy, making the operand, the products, exit, and the whole; then each product of the last round,
in milliseconds. Every round runs the program plain and in each way once, in this order."""
import argparse
import statistics
import subprocess
import sys
import time

import ways_of_running


def multiply(kind, n, count):
    moments = [time.time()]
    import numpy as np
    moments.append(time.time())
    a = np.random.default_rng(1).standard_normal((int(n), int(n))).astype(kind)
    moments.append(time.time())
    each = []
    for _ in range(int(count)):
        begun = time.time()
        a @ a
        each.append(time.time() - begun)
    moments.append(time.time())
    print(*moments, *each)


def run(case, way):
    environment = ways_of_running.environment(way)
    begun = time.time()
    ran = subprocess.run([sys.executable, __file__, "--child", *case.split(":")], check=False,
                         env=environment, capture_output=True, text=True)
    ended = time.time()
    if ran.returncode:
        sys.exit(f"{case} with {way or 'nothing'}: {ran.stderr}")
    numbers = [float(number) for number in ran.stdout.split()]
    moments, each = [begun, *numbers[:4], ended], numbers[4:]
    return [after - before for before, after in zip(moments, moments[1:])] + [ended - begun], each


def main():
    if sys.argv[1:2] == ["--child"]:
        return multiply(*sys.argv[2:])
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=6)
    arguments.add_argument("--case", action="append")
    arguments.add_argument("ways", nargs="+", metavar="NAME=LIBRARY")
    given = arguments.parse_args()
    ways = {"plain": "", **dict(way.split("=", 1) for way in given.ways)}
    for case in given.case or ["float64:1200:40", "float64:1200:150", "float64:3000:12",
                               "float32:2048:60"]:
        phases, last = {name: [] for name in ways}, {}
        for _ in range(given.rounds):
            for name, way in ways.items():
                took, last[name] = run(case, way)
                phases[name].append(took)
        print(f"{case}: start, import, operand, products, exit, whole")
        for name in ways:
            print(f"  {name:12}", *(f"{statistics.median(x):7.3f}" for x in zip(*phases[name])))
        for name in ways:
            print(f"  {name:12} ms", *(f"{1e3 * seconds:.1f}" for seconds in last[name]))
    return None


if __name__ == "__main__":
    main()

"""Times whole processes of short programs, plain and with drop-ins, in turns.

Usage: compare.py [--rounds 8] [--programs pca,float64:1200:250] NAME=LIBRARY[,VARIABLE=VALUE...] ...
If a program prints a second number, those are its seconds: calls alone, without the 0.1 s in which
NumPy is loaded.
A library is a drop-in's path; NAME= alone is another plain run, which shows the noise. Every round
runs each way once, in an order that changes. The first round is told apart: in later ones a drop-in
knows what it has learned. Ratios are medians of later pairs, with the 95 % interval of that median
by order statistics where there are six or more."""
import argparse
import math
import pathlib
import statistics
import subprocess
import sys
import time

import ways_of_running

PROGRAMS = pathlib.Path(__file__).with_name("short_programs.py")


def seconds(program, way):
    environment = ways_of_running.environment(way)
    begun = time.perf_counter()
    ran = subprocess.run([sys.executable, str(PROGRAMS), program], env=environment,
                         capture_output=True, text=True, check=False)
    took = time.perf_counter() - begun
    if ran.returncode:
        sys.exit(f"{program} with {way or 'nothing'}: {ran.stderr}")
    answer, *of_calls = ran.stdout.split()
    return float(of_calls[0]) if of_calls else took, answer


def interval(ratios):
    """Of the median, the order statistics between which it lies with 95 %: of 8 the 1st and 8th."""
    ordered, count = sorted(ratios), len(ratios)
    outside, skipped = 2 / 2**count, 0
    if outside > 0.05:
        return ""
    while outside + 2 * math.comb(count, skipped + 1) / 2**count <= 0.05:
        skipped += 1
        outside += 2 * math.comb(count, skipped) / 2**count
    return f"{ordered[skipped]:.3f} to {ordered[-1 - skipped]:.3f}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=8)
    arguments.add_argument("--programs", default="")
    arguments.add_argument("ways", nargs="+", metavar="NAME=LIBRARY")
    given = arguments.parse_args()
    known = subprocess.run([sys.executable, str(PROGRAMS), "--list"], capture_output=True,
                           text=True, check=True).stdout.split()
    ways = dict(way.split("=", 1) for way in given.ways)
    print(f"{'program':18}{'plain s':>9}" +
          "".join(f"{name:>11} s{'first':>8}{'ratio':>8}{'95 %':>16}" for name in ways), flush=True)
    for program in given.programs.split(",") if given.programs else known:
        plain, took = [], {name: [] for name in ways}
        for number in range(given.rounds):
            turns = ["", *ways]
            turns = turns[number % len(turns):] + turns[:number % len(turns)]
            answers = set()
            for way in turns:
                spent, answer = seconds(program, ways.get(way, ""))
                (took[way] if way else plain).append(spent)
                answers.add(answer)
            if len({f"{float(answer):.3g}" for answer in answers}) > 1:
                print(f"{program}: results differ: {sorted(answers)}")
        line = f"{program:18}{statistics.median(plain):9.4f}"
        for name in ways:
            ratios = [mine / other for mine, other in zip(took[name], plain)]
            later = ratios[1:] or ratios
            line += (f"{statistics.median(took[name]):13.4f}{ratios[0]:8.2f}"
                     f"{statistics.median(later):8.3f}{interval(later):>16}")
        print(line, flush=True)


if __name__ == "__main__":
    main()

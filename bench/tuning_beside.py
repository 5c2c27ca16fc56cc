"""Tunes beside other programs' work, and tells what that cost.

Usage: tuning_beside.py COMMAND [--loads none,busy,bursts,half] [--runs 1] [--budget 60] [--turns 5]
       [--seconds 3] [--tune ARGUMENTS]
First a tuning of a quiet machine, then a tuning of each load: one busy core for all of it, bursts of 5 s
(as long a pause between them), a busy first half. After each, in quiet, both profiles take turns in `duoblas
bench --strategy hybrid --seconds SECONDS`. Printed is the time by the profile of the load over that by the quiet
one, the median of the turns, for each product, and what the tuning doubts."""
import argparse
import json
import multiprocessing
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def load_one_core(load, budget):
    begun = time.monotonic()
    while True:
        passed = time.monotonic() - begun
        if not {"none": False, "busy": True, "bursts": passed % 10 < 5, "half": passed < budget / 2}[load]:
            time.sleep(0.05)


def tune(given, folder, load):
    other = multiprocessing.Process(target=load_one_core, args=(load, given.budget), daemon=True)
    other.start()
    begun = time.monotonic()
    try:
        subprocess.run([given.command, "tune", "--fresh", "--budget", str(given.budget), *given.tune.split()],
                       env={**os.environ, "DUOBLAS_PROFILE_DIR": folder}, check=True, capture_output=True)
    finally:
        other.kill()
    profile = json.loads(next(pathlib.Path(folder).glob("*.json")).read_text(encoding="utf-8"))
    return f"{time.monotonic() - begun:.0f} s; doubt: {profile.get('doubt') or 'none'}"


def seconds(given, folder):
    """Of each product by the hybrid of the folder's profile."""
    ran = subprocess.run([given.command, "bench", "--strategy", "hybrid", "--seconds", str(given.seconds), "--json", "-",
                          *given.tune.split()], env={**os.environ, "DUOBLAS_PROFILE_DIR": folder}, check=True,
                         capture_output=True, text=True)
    return {f'{row["precision"]}gemm {row["ops"]} {row["m"]}': row["seconds"] for row in json.loads(ran.stdout)["results"]}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("command")
    arguments.add_argument("--loads", default="none,busy,bursts,half")
    arguments.add_argument("--runs", type=int, default=1)
    arguments.add_argument("--budget", type=float, default=60)
    arguments.add_argument("--turns", type=int, default=5)
    arguments.add_argument("--seconds", type=float, default=3)
    arguments.add_argument("--tune", default="--precision s,d --size 1024,2048 --ops nn")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as quiet:
        print(f"quiet: {tune(given, quiet, 'none')}", flush=True)
        for load in given.loads.split(",") * given.runs:
            with tempfile.TemporaryDirectory() as folder:
                told, ratios = tune(given, folder, load), {}
                for _ in range(given.turns):
                    before = seconds(given, quiet)
                    for product, value in seconds(given, folder).items():
                        ratios.setdefault(product, []).append(value / before[product])
            print(f"{load}: {told}; " + ", ".join(f"{product} {statistics.median(of):.2f}"
                                                  for product, of in ratios.items()), flush=True)


if __name__ == "__main__":
    main()

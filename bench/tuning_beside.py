"""Tunes beside other programs' work, and tells what that cost.

Usage: tuning_beside.py COMMAND [--loads none,busy,bursts,half] [--runs 1] [--budget 60] [--tune ARGUMENTS]
First a tuning of a quiet machine, then a tuning of each load: one busy core for all of it, bursts of 5 s
(as long a pause between them), a busy first half. After each, in quiet, both profiles take turns in `duoblas
bench --strategy hybrid`, five times. Printed is the time by the profile of the load over that by the quiet one, for each
product, and what the tuning doubts."""
import argparse
import json
import multiprocessing
import os
import pathlib
import statistics
import subprocess
import tempfile
import time


def burn():
    while True:
        pass


def loaded(load, budget, stop):
    """Keeps one core busy as `load` says, until `stop` is set."""
    begun = time.monotonic()
    worker = None
    while not stop.is_set():
        passed = time.monotonic() - begun
        busy = {"none": False, "busy": True, "bursts": passed % 10 < 5, "half": passed < budget / 2}[load]
        if busy and worker is None:
            worker = multiprocessing.Process(target=burn, daemon=True)
            worker.start()
        elif not busy and worker is not None:
            worker.kill()
            worker.join()
            worker = None
        stop.wait(0.05)
    if worker is not None:
        worker.kill()
        worker.join()


def tune(given, folder, load):
    environment = {**os.environ, "DUOBLAS_PROFILE_DIR": str(folder)}
    stop = multiprocessing.Event()
    other = multiprocessing.Process(target=loaded, args=(load, given.budget, stop))
    other.start()
    begun = time.monotonic()
    try:
        subprocess.run([given.command, "tune", "--fresh", "--budget", str(given.budget), *given.tune.split()],
                       env=environment, check=True, capture_output=True)
    finally:
        stop.set()
        other.join()
    profile = json.loads(next(pathlib.Path(folder).glob("*.json")).read_text(encoding="utf-8"))
    return time.monotonic() - begun, profile.get("doubt", "")


def seconds(given, folder):
    """Of each product by the hybrid of the folder's profile."""
    with tempfile.TemporaryDirectory() as place:
        file = place + "/bench.json"
        products = given.tune.split()
        subprocess.run([given.command, "bench", "--strategy", "hybrid", "--seconds", "3", "--json", file, *products],
                       env={**os.environ, "DUOBLAS_PROFILE_DIR": str(folder)}, check=True, capture_output=True)
        rows = json.loads(pathlib.Path(file).read_text(encoding="utf-8"))["results"]
        return {f'{row["precision"]}gemm {row["ops"]} {row["m"]}': row["seconds"] for row in rows}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("command")
    arguments.add_argument("--loads", default="none,busy,bursts,half")
    arguments.add_argument("--runs", type=int, default=1)
    arguments.add_argument("--budget", type=float, default=60)
    arguments.add_argument("--tune", default="--precision s,d --size 1024,2048 --ops nn")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as quiet:
        print(f"quiet: {tune(given, quiet, 'none')}", flush=True)
        for load in given.loads.split(","):
            for _ in range(given.runs):
                with tempfile.TemporaryDirectory() as folder:
                    took, doubt = tune(given, folder, load)
                    ratios = {}
                    for _ in range(5):
                        before, after = seconds(given, quiet), seconds(given, folder)
                        for product, value in after.items():
                            ratios.setdefault(product, []).append(value / before[product])
                    told = ", ".join(f"{product} {statistics.median(of):.2f}" for product, of in ratios.items())
                    print(f"{load}: {took:.0f} s; {told}; doubt: {doubt or 'none'}", flush=True)


if __name__ == "__main__":
    main()

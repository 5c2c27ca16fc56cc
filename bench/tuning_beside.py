"""Tunes beside other programs' work, and tells how far each plan is from the best split.

Usage: tuning_beside.py FOLDER [--kinds quiet:1,busy:1,bursts:3,half:3] [--budget 60] [--size 1024] [--precision s,d]
       [--seconds 3] [--limit 1e9] [--output FILE]
FOLDER has `duoblas` and `bench_gemm`. Each kind is so many tunings from nothing, in turns: without load, beside one
busy core for all of it, beside bursts of 5 s (as long a pause between them; each tuning begins elsewhere in that), or
with a busy first half. After each, in quiet, `bench_gemm shapes` sweeps the splits of its kernel. A row is a product:
milliseconds of `hybrid` and of the best of the splits and the GPU alone, all in turns; their ratio; milliseconds as the
profile has them; the time of the first product on the CPU and the GPU at the end of the tuning, over what it was; what
the tuning doubts. None begins after LIMIT seconds."""
import argparse
import json
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time


def load_one_core(kind, budget, offset):
    begun = time.monotonic()
    while True:
        passed = time.monotonic() - begun
        if not {"busy": True, "bursts": (passed + offset) % 10 < 5, "half": passed < budget / 2}[kind]:
            time.sleep(0.05)


def tune(given, environment, kind, offset):
    other = None
    if kind != "quiet":
        other = multiprocessing.Process(target=load_one_core, args=(kind, given.budget, offset), daemon=True)
        other.start()
    try:
        subprocess.run([f"{given.folder}/duoblas", "tune", "--fresh", "--budget", str(given.budget), "--ops", "nn",
                        "--size", given.size, "--precision", given.precision], env=environment, check=True,
                       stdout=subprocess.DEVNULL)
    finally:
        if other:
            other.kill()
    profile = next(pathlib.Path(environment["DUOBLAS_PROFILE_DIR"]).glob("*.json"))
    return json.loads(profile.read_text(encoding="utf-8"))


def judged(given, environment):
    """Product, plan, milliseconds of it and of the best."""
    products = ",".join("x".join([size] * 3) for size in given.size.split(","))
    ran = subprocess.run([f"{given.folder}/bench_gemm", "shapes", "--calls", "0", "--products", products, "--precision",
                          given.precision, "--seconds", str(given.seconds)], check=True, capture_output=True, text=True,
                         env={**environment, "DUOBLAS_STRATEGY": "hybrid", "DUOBLAS_ADAPT": "0"})
    for line in ran.stdout.splitlines():
        if "gemm " not in line:
            continue
        routine, ops, sizes, plan, planned, _, *alone_and_split = line.split()[:8]
        yield f"{routine} {ops} {sizes}", plan, float(planned), min(float(ms) for ms in alone_and_split if ms != "-")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder")
    arguments.add_argument("--kinds", default="quiet:1,busy:1,bursts:3,half:3")
    arguments.add_argument("--budget", type=float, default=60)
    arguments.add_argument("--size", default="1024")
    arguments.add_argument("--precision", default="s,d")
    arguments.add_argument("--seconds", type=float, default=3)
    arguments.add_argument("--limit", type=float, default=1e9)
    arguments.add_argument("--output", type=argparse.FileType("w"), default=sys.stdout)
    given = arguments.parse_args()
    begun = time.monotonic()

    def tell(text):
        print(text, file=given.output, flush=True)

    runs = {kind: int(number) for kind, number in (each.split(":") for each in given.kinds.split(","))}
    rows = []
    tell("kind    product                       plan       ms   best  ratio  in tuning  drift  doubt")
    for turn in range(max(runs.values())):
        for kind, number in runs.items():
            if turn >= number or time.monotonic() - begun > given.limit:
                continue
            with tempfile.TemporaryDirectory() as folder:
                environment = {**os.environ, "DUOBLAS_PROFILE_DIR": folder}
                profile = tune(given, environment, kind, 10 * turn / number)
                doubt = profile.get("doubt", "")
                drift = "/".join(f"{profile['steadiness'][side] or 0:.2f}" for side in ("cpu", "gpu"))
                told = {f"{point['precision']}gemm {point['ops']} {point['m']}x{point['n']}x{point['k']}":
                        1e3 * point["hybrid"]["seconds"] for point in profile["points"]}
                for product, plan, planned, best in judged(given, environment):
                    rows.append((kind, planned / best, bool(doubt)))
                    tell(f"{kind:7} {product:28} {plan:>6} {planned:8.3f} {best:6.3f}  {planned / best:5.3f} "
                         f"{told.get(product, 0):8.3f}  {drift}  "
                         f"{doubt}")
    for kind in runs:
        of_kind = [(ratio, doubtful) for its_kind, ratio, doubtful in rows if its_kind == kind]
        near = sum(ratio < 1.05 for ratio, _ in of_kind)
        known = sum(ratio < 1.10 or doubtful for ratio, doubtful in of_kind)
        doubtful = sum(doubtful for _, doubtful in of_kind)
        tell(f"{kind}: {len(of_kind)} products, within 5 %: {near}, within 10 % or doubtful: {known}, "
             f"doubtful: {doubtful}")
    tell(f"{time.monotonic() - begun:.0f} s")


if __name__ == "__main__":
    main()

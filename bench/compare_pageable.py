"""sgemm_ and dgemm_ on ordinary memory: a BLAS alone, with our drop-in, with NVBLAS, in turns.

    compare_pageable.py build/release --sizes 1024,2048,4096,8192 --blas /path/libopenblas.so.0

Every figure is a median of processes' medians in milliseconds. NVBLAS is tried with several tile
sizes, with its memory pinned by itself or not; the best of these at each size is what counts.
"""
import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

# The first size of every process, with some calls: devices start beside them.
WARM_UP = 1024


def arguments():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the folder with bin and lib")
    parser.add_argument("--blas", default="libopenblas.so.0", help="the CPU BLAS of all three")
    parser.add_argument("--nvblas", default="libnvblas.so",
                        help="name or path; other versions: libnvblas.so.13")
    parser.add_argument("--precision", default="s,d")
    parser.add_argument("--sizes", default="1024,2048,4096,8192")
    parser.add_argument("--calls", type=int, default=5, help="per size and process")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each kind")
    parser.add_argument("--tiles", default="2048,4096,8192", help="NVBLAS_TILE_DIM")
    return parser.parse_args()


def why_not_loadable(library):
    try:
        ctypes.CDLL(library)
        return None
    except OSError as error:
        return str(error)


def nvblas_settings(options, folder, name, more=()):
    config = folder / (name.replace(" ", "-") + ".conf")
    lines = [f"NVBLAS_LOGFILE {folder}/nvblas.log", f"NVBLAS_CPU_BLAS_LIB {options.blas}",
             "NVBLAS_GPU_LIST ALL", *more]
    config.write_text("\n".join(lines) + "\n")
    return {"LD_PRELOAD": f"{options.nvblas}:{options.blas}", "NVBLAS_CONFIG_FILE": str(config)}


def nvblas_finds_a_gpu(options, folder):
    """It says so in its log, and otherwise hands every call to the CPU BLAS."""
    milliseconds(options, "s", [], nvblas_settings(options, folder, "probe"))
    log = folder / "nvblas.log"
    said = log.read_text(errors="replace") if log.is_file() else "it wrote no log"
    if log.is_file() and "No Gpu available" not in said and "No device selected" not in said:
        return True
    print("NVBLAS is here, but uses no GPU, and is not compared: " + " ".join(said.split()))
    return False


def nvblas_kinds(options, folder):
    """Name -> environment; empty, with the reason printed, where NVBLAS cannot be used."""
    why_not = why_not_loadable(options.nvblas)
    if why_not is not None:
        print(f"NVBLAS is not here, and not compared: {why_not}")
        return {}
    if not nvblas_finds_a_gpu(options, folder):
        return {}
    kinds = {}
    for tile in options.tiles.split(","):
        for pinned in (False, True):
            name = f"nvblas {tile}" + (" autopin" if pinned else "")
            more = [f"NVBLAS_TILE_DIM {tile}"] + ["NVBLAS_AUTOPIN_MEM_ENABLED"] * pinned
            kinds[name] = nvblas_settings(options, folder, name, more)
    return kinds


def milliseconds(options, precision, sizes, settings):
    """{n: median} of one process; None where it failed."""
    environment = {**os.environ, **settings}
    command = [options.build / "bin/bench_pageable_gemm", precision, str(options.calls),
               str(WARM_UP), *map(str, sizes)]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if ran.returncode != 0 or "WRONG" in ran.stdout:
        print(f"  failed ({ran.returncode}): {ran.stdout[-200:]} {ran.stderr[-400:]}")
        return None
    rows = [line.split() for line in ran.stdout.splitlines()]
    return {int(row[0]): float(row[2]) for row in rows[1:]}


def compare(options, precision, kinds):
    sizes = [int(n) for n in options.sizes.split(",")]
    times = {kind: {n: [] for n in sizes} for kind in kinds}
    for _ in range(options.rounds):
        for kind, settings in kinds.items():
            took = milliseconds(options, precision, sizes, settings) or {}
            for n, value in took.items():
                times[kind][n].append(value)
    print(f"\n{precision}gemm_, milliseconds" + "".join(f"{n:>10}" for n in sizes))
    medians = {kind: {n: statistics.median(v) if v else float("nan") for n, v in by_n.items()}
               for kind, by_n in times.items()}
    for kind, by_n in medians.items():
        print(f"  {kind:<22}" + "".join(f"{by_n[n]:10.2f}" for n in sizes))
    ours = medians["duoblas"]
    print(f"  {'blas : duoblas':<22}" + "".join(f"{medians['blas'][n] / ours[n]:10.2f}"
                                                for n in sizes))
    others = [by_n for kind, by_n in medians.items() if kind.startswith("nvblas")]
    if others:
        best = {n: min((by_n[n] for by_n in others if by_n[n] == by_n[n]), default=float("nan"))
                for n in sizes}
        print(f"  {'nvblas best : duoblas':<22}" + "".join(f"{best[n] / ours[n]:10.2f}"
                                                           for n in sizes))
    sys.stdout.flush()


def main():
    options = arguments()
    why_not = why_not_loadable(options.blas)
    if why_not is not None:
        sys.exit(f"no CPU BLAS: {why_not} (name one with --blas)")
    dropin = next(options.build.glob("lib*/libduoblas_blas.so.0"), None)
    if dropin is None:
        sys.exit(f"no libduoblas_blas.so.0 in {options.build}/lib: build it first")
    with tempfile.TemporaryDirectory() as folder:
        kinds = {"blas": {"LD_PRELOAD": options.blas},
                 "duoblas": {"LD_PRELOAD": f"{dropin.resolve()}:{options.blas}"},
                 **nvblas_kinds(options, pathlib.Path(folder))}
        for precision in options.precision.split(","):
            compare(options, precision, kinds)


if __name__ == "__main__":
    main()

"""sgemm_ and dgemm_ on ordinary memory: a BLAS alone, with our drop-in, with NVBLAS, in turns.

    compare_pageable.py build/release --sizes 1024,2048,4096,8192 --blas /path/libopenblas.so.0

Every figure is a median of processes' medians in milliseconds; a process calls whatever BLAS comes first in it, after
calls of n = 1024, beside which devices start. NVBLAS is tried with several tile sizes, with its memory pinned by
itself or not; the best of these at each size is what counts."""
import argparse
import ctypes
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

WARM_UP = 1024


def multiply(precision, calls, sizes):
    """The child: a line for each size. Small whole numbers, so that every sum is exact."""
    import numpy as np
    gemm = getattr(ctypes.CDLL(None), precision + "gemm_")
    kind = {"s": np.float32, "d": np.float64}[precision]
    one, zero = (np.array(value, kind).ctypes.data_as(ctypes.c_void_p) for value in (1, 0))
    for n in [WARM_UP, *map(int, sizes)]:
        order = ctypes.byref(ctypes.c_int(n))
        a, b = (np.asfortranarray(np.resize([-2, 1, 0, -1, 2], (n, n)), kind) for _ in range(2))
        c = np.zeros((n, n), kind, order="F")
        pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (a, b, c)]
        times = []
        for _ in range(int(calls) + 1):
            begun = time.perf_counter()
            gemm(b"N", b"N", order, order, order, one, pointers[0], order, pointers[1], order, zero, pointers[2], order)
            times.append(1e3 * (time.perf_counter() - begun))
        right = all((a[row] @ b[:, row // 2] == c[row, row // 2]) for row in range(0, n, 1 + n // 7))
        print(n, statistics.median(times[1:]), "right" if right else "WRONG", flush=True)


def milliseconds(options, precision, sizes, settings):
    """{n: median} of one process; nothing where it failed."""
    ran = subprocess.run([sys.executable, __file__, "--child", precision, str(options.calls), *sizes], check=False,
                         env={**os.environ, **settings}, capture_output=True, text=True)
    if ran.returncode != 0 or "WRONG" in ran.stdout:
        print(f"  failed ({ran.returncode}): {ran.stdout[-200:]} {ran.stderr[-400:]}")
        return {}
    return {row.split()[0]: float(row.split()[1]) for row in ran.stdout.splitlines()[1:]}


def nvblas_kinds(options, folder):
    """Name -> environment; empty, with the reason printed, where NVBLAS cannot be used: it hands calls on then."""
    def settings(name, more=()):
        config = pathlib.Path(folder, name.replace(" ", "-") + ".conf")
        config.write_text("\n".join([f"NVBLAS_LOGFILE {folder}/nvblas.log", f"NVBLAS_CPU_BLAS_LIB {options.blas}",
                                     "NVBLAS_GPU_LIST ALL", *more]) + "\n", encoding="utf-8")
        return {"LD_PRELOAD": f"{options.nvblas}:{options.blas}", "NVBLAS_CONFIG_FILE": str(config)}
    milliseconds(options, "s", [], settings("probe"))
    log = pathlib.Path(folder, "nvblas.log")
    said = log.read_text(errors="replace") if log.is_file() else "it wrote no log"
    if not log.is_file() or "No Gpu available" in said or "No device selected" in said:
        print("NVBLAS is not compared: " + " ".join(said.split()))
        return {}
    return {f"nvblas {tile}{pinned}": settings(f"nvblas {tile}{pinned}", [f"NVBLAS_TILE_DIM {tile}"] +
                                               ["NVBLAS_AUTOPIN_MEM_ENABLED"] * bool(pinned))
            for tile in options.tiles.split(",") for pinned in ("", " autopin")}


def compare(options, precision, kinds):
    sizes = options.sizes.split(",")
    times = {kind: {n: [] for n in sizes} for kind in kinds}
    for _ in range(options.rounds):
        for kind, settings in kinds.items():
            for n, value in milliseconds(options, precision, sizes, settings).items():
                times[kind][n].append(value)
    medians = {kind: [statistics.median(by_n[n] or [float("nan")]) for n in sizes] for kind, by_n in times.items()}
    nvblas = [row for kind, row in medians.items() if kind.startswith("nvblas")]
    if nvblas:
        medians["nvblas, the best"] = [min(column) for column in zip(*nvblas)]
    print(f"\n{precision}gemm_, milliseconds" + "".join(f"{n:>10}" for n in sizes) + "   over duoblas")
    for kind, row in medians.items():
        over = " ".join(f"{mine / ours:.2f}" for mine, ours in zip(row, medians["duoblas"]))
        print(f"  {kind:<18}" + "".join(f"{value:10.2f}" for value in row) + f"   {over}", flush=True)


def main():
    if sys.argv[1:2] == ["--child"]:
        return multiply(sys.argv[2], sys.argv[3], sys.argv[4:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the folder with lib")
    parser.add_argument("--blas", default="libopenblas.so.0", help="the CPU BLAS of all three")
    parser.add_argument("--nvblas", default="libnvblas.so", help="name or path; other versions: libnvblas.so.13")
    parser.add_argument("--precision", default="s,d")
    parser.add_argument("--sizes", default="1024,2048,4096,8192")
    parser.add_argument("--calls", type=int, default=5, help="per size and process")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each kind")
    parser.add_argument("--tiles", default="2048,4096,8192", help="NVBLAS_TILE_DIM")
    options = parser.parse_args()
    dropin = next(options.build.glob("lib*/libduoblas_blas.so.0"), None)
    if dropin is None:
        sys.exit(f"no libduoblas_blas.so.0 in {options.build}/lib: build it first")
    with tempfile.TemporaryDirectory() as folder:
        kinds = {"blas": {"LD_PRELOAD": options.blas}, "duoblas": {"LD_PRELOAD": f"{dropin.resolve()}:{options.blas}"},
                 **nvblas_kinds(options, folder)}
        for precision in options.precision.split(","):
            compare(options, precision, kinds)
    return None


if __name__ == "__main__":
    main()

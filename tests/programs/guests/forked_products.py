"""Multiplies and solves, forks workers that do, and does so again. Each worker's standard error goes
to a file of FOLDER. Right answers are those of loops, which call no BLAS.

usage: forked_products.py FOLDER
"""
import multiprocessing
import os
import pathlib
import sys

import numpy as np

SIZE = 400
WORKERS = 3


def check_product(seed):
    draw = np.random.default_rng(seed).standard_normal
    a, b = draw((SIZE, SIZE)), draw((SIZE, SIZE))
    error = np.sqrt(np.sum((a @ b - np.einsum("ij,jk->ik", a, b, optimize=False)) ** 2))
    norms = np.sqrt(np.sum(a ** 2) * np.sum(b ** 2))
    if not error < 2 * np.sqrt(SIZE + 2) * norms * np.finfo(float).eps / 2:
        raise ArithmeticError(f"product {seed} is off by {error}")
    x = np.linalg.solve(a, b)
    error = np.sqrt(np.sum((np.einsum("ij,jk->ik", a, x, optimize=False) - b) ** 2))
    if not error < 3 * SIZE * np.sqrt(np.sum(a ** 2) * np.sum(x ** 2)) * np.finfo(float).eps:
        raise ArithmeticError(f"solution {seed} is off by {error}")
    return seed


def in_worker(task):
    folder, seed = task
    with open(pathlib.Path(folder) / f"worker{seed}", "w", encoding="utf-8") as file:
        os.dup2(file.fileno(), sys.stderr.fileno())
    return check_product(seed)


def main(folder):
    print("case before", file=sys.stderr, flush=True)
    check_product(100)
    print("case workers", file=sys.stderr, flush=True)
    with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
        done = pool.map(in_worker, [(folder, seed) for seed in range(2 * WORKERS)], chunksize=1)
    print("case after", file=sys.stderr, flush=True)
    check_product(101)
    print(sorted(done))


if __name__ == "__main__":
    main(sys.argv[1])

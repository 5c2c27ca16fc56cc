"""Programs from a seeded generator, as users have them: sizes, types, routines, pauses and lengths.

Usage: generated.py --seed N [--show]. One program: of one to three phases, each of which repeats
calls of one or two routines, with work of NumPy's own or a pause between them. Judge on seeds that
were not run before. Prints a number that depends on the results; --show prints what the program does
instead. compare.py knows them as generated:N."""
import argparse
import math
import time

import numpy as np

# Flops of the products that take as long as a call of order n, about, and how often users make such
# calls. eigh and svd are not the drop-in's, but for the products inside.
ROUTINES = {
    "matmul": (lambda n: 2 * n**3, 12),
    "gram": (lambda n: 2 * n**3, 3),
    "thin": (lambda n: 4 * n * n * 64, 3),
    "solve": (lambda n: 2 * n**3, 3),
    "cholesky": (lambda n: n**3, 2),
    "inv": (lambda n: 6 * n**3, 2),
    "qr": (lambda n: 10 * n**3, 1),
    "eigh": (lambda n: 60 * n**3, 1),
    "svd": (lambda n: 100 * n**3, 1),
    "gemv": (lambda n: 30 * n * n, 2),
}
# What a phase's length is made from: flops per second of a middling machine in float64, and seconds
# of Python and the operating system for a call.
RATE = 3e11
SECONDS_OF_CALL = 5e-6
SECONDS_OF_SLEEP = 1e-4


class Phase:
    def __init__(self, random, seconds):
        names, weights = list(ROUTINES), [often for _, often in ROUTINES.values()]
        self.calls = [str(name) for name in
                      random.choice(names, size=random.integers(1, 3), p=np.array(weights) / sum(weights))]
        self.kind = str(random.choice(["float64", "float32", "complex128"], p=[0.55, 0.4, 0.05]))
        self.n = int(round(math.exp(random.uniform(math.log(60), math.log(3000)))))
        each = sum(ROUTINES[call][0](self.n) / RATE + SECONDS_OF_CALL for call in self.calls)
        # Elementwise work of NumPy's own, or a wait for something else, as a part of a call's time.
        self.between = str(random.choice(["nothing", "elementwise", "sleep"], p=[0.4, 0.45, 0.15]))
        self.pause = max(SECONDS_OF_SLEEP, min(each * float(random.uniform(0.1, 1)), 0.05))
        whole = each if self.between == "nothing" else each + self.pause
        self.count = max(1, int(seconds / whole))

    def __str__(self):
        return f"{self.count} times {' and '.join(self.calls)}, n = {self.n}, {self.kind}, {self.between} between"

    def call(self, name, a, b):
        if name == "matmul":
            return a @ b
        if name == "gram":
            return a @ a.T
        if name == "thin":
            return a @ b[:, :64]
        if name == "gemv":
            return a @ b[:, 0]
        if name == "solve":
            return np.linalg.solve(a, b[:, 0])
        if name == "svd":
            return np.linalg.svd(a, compute_uv=False)
        if name == "eigh":
            return np.linalg.eigvalsh(a)
        if name == "qr":
            return np.linalg.qr(a)[1]
        return getattr(np.linalg, name)(a)

    def run(self, random):
        a = random.standard_normal((self.n, self.n))
        if self.kind == "complex128":
            a = a + 1j * random.standard_normal((self.n, self.n))
        a = (a + a.conj().T + 8 * math.sqrt(self.n) * np.eye(self.n)).astype(self.kind)
        b = random.standard_normal((self.n, self.n)).astype(self.kind)
        total = 0.0
        for _ in range(self.count):
            for name in self.calls:
                result = self.call(name, a, b)
                total += abs(complex(result.flat[-1]))
            if self.between == "elementwise":
                b = np.tanh(b.real).astype(self.kind)
            elif self.between == "sleep":
                time.sleep(self.pause)
        return total


def phases(seed):
    random = np.random.default_rng(seed)
    seconds = math.exp(random.uniform(math.log(0.2), math.log(6)))
    parts = random.dirichlet(np.ones(random.integers(1, 4)))
    return [Phase(random, seconds * part) for part in parts], random


def run(seed):
    made, random = phases(seed)
    return sum(phase.run(random) for phase in made)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--seed", type=int, required=True)
    arguments.add_argument("--show", action="store_true")
    given = arguments.parse_args()
    if given.show:
        print("\n".join(str(phase) for phase in phases(given.seed)[0]))
    else:
        print(f"{run(given.seed):.6g}")


if __name__ == "__main__":
    main()

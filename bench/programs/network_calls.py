"""Times each product of short_programs.py's network: forward, of the error, of the weights.

Usage: network_calls.py [STEPS]. Prints the seconds from the first product on, those of the products
and of the rest; then the products' milliseconds, a line for each of the three."""
import sys
import time

import numpy as np

import short_programs


def main():
    begins, took = [], {"forward": [], "error": [], "change": []}

    def product(kind, a, b):
        begins.append(time.perf_counter())
        result = a @ b
        took[kind].append(time.perf_counter() - begins[-1])
        return result

    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 4
    short_programs.network(np.random.default_rng(1), steps, product)
    training, products = time.perf_counter() - begins[0], sum(map(sum, took.values()))
    print(f"training {training:.3f} products {products:.3f} rest {training - products:.3f}")
    for kind, seconds in took.items():
        print(kind, *(f"{1e3 * each:.1f}" for each in seconds))


if __name__ == "__main__":
    main()

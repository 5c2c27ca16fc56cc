"""Trains twelve layers of 2,048 with batches of 1,024, as short_programs.py's network does, and times
each product: forward, of the error, and of the weights' change.

Usage: network_calls.py [STEPS]. Prints the seconds of the set-up, of the training, of its products and
of the rest; then the products' milliseconds, a line for each of the three."""
import sys
import time

import numpy as np

LAYERS, WIDTH, BATCH = 12, 2048, 1024


def main():
    took = {"forward": [], "error": [], "change": []}

    def product(kind, a, b):
        begun = time.perf_counter()
        result = a @ b
        took[kind].append(time.perf_counter() - begun)
        return result

    moments, rng = [time.perf_counter()], np.random.default_rng(1)
    layers = [rng.standard_normal((WIDTH, WIDTH)).astype(np.float32) / 45 for _ in range(LAYERS)]
    moments.append(time.perf_counter())
    for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 4):
        values = [rng.standard_normal((BATCH, WIDTH)).astype(np.float32)]
        for layer in layers:
            values.append(np.maximum(product("forward", values[-1], layer), 0))
        error = values[-1] - 1
        for i in reversed(range(LAYERS)):
            error *= values[i + 1] > 0
            change = product("change", values[i].T, error)
            error = product("error", error, layers[i].T)
            layers[i] -= np.float32(1e-7) * change
    moments.append(time.perf_counter())
    training, products = moments[2] - moments[1], sum(map(sum, took.values()))
    print(f"set-up {moments[1] - moments[0]:.3f} training {training:.3f} products {products:.3f} "
          f"rest {training - products:.3f}")
    for kind, seconds in took.items():
        print(kind, *(f"{1e3 * each:.1f}" for each in seconds))


if __name__ == "__main__":
    main()

"""Twelve short programs as users write them with NumPy, each 0.1 to 5 s of one process without a GPU.

Usage: short_programs.py NAME, or --list. A name such as float64:1200:250 is 250 square products of
that size; solve:512:20 is 20 calls of numpy.linalg (or matmul), with the seconds that the calls took
as a second number; generated:N is generated.py's. Prints a number that depends on every result, so that runs with different BLAS
can be compared."""
import sys
import time

import numpy as np

import generated


def pca(rng):
    """The first ten components of 20,000 points in 1,500 dimensions."""
    x = rng.standard_normal((20_000, 1_500))
    x -= x.mean(axis=0)
    basis = rng.standard_normal((1_500, 10))
    covariance = x.T @ x / len(x)
    for _ in range(20):
        basis, _ = np.linalg.qr(covariance @ basis)
    return np.abs(x[:100] @ basis).sum()


def mix(rng):
    """Products of many sizes, from 300 to 1,900."""
    total = 0.0
    for n in [300, 500, 700, 900, 1_100, 1_500, 1_900] * 3 + [300, 400] * 40:
        a = rng.random((n, n), dtype=np.float32)
        total += float((a @ a)[0, 0])
    return total


def kernel_ridge(rng):
    """5,000 points, a Gaussian kernel, solved by conjugate gradients."""
    x = rng.standard_normal((5_000, 60))
    y = np.sin(x[:, 0])
    squares = (x * x).sum(axis=1)
    kernel = np.exp(-(squares[:, None] + squares[None, :] - 2 * x @ x.T) / 120)
    kernel[np.diag_indices_from(kernel)] += 1e-2
    weights, residual = np.zeros_like(y), y.copy()
    step = residual.copy()
    for _ in range(30):
        image = kernel @ step
        size = residual @ residual
        rate = size / (step @ image)
        weights += rate * step
        residual -= rate * image
        step = residual + (residual @ residual) / size * step
    return np.abs(weights).sum()


def mlp(rng):
    """Two layers of 2,048, batches of 1,024, trained for 20 steps."""
    first = rng.standard_normal((1_024, 2_048)).astype(np.float32) * np.float32(0.03)
    second = rng.standard_normal((2_048, 10)).astype(np.float32) * np.float32(0.03)
    for _ in range(20):
        x = rng.standard_normal((1_024, 1_024)).astype(np.float32)
        hidden = np.maximum(x @ first, 0)
        error = hidden @ second - 1
        back = (error @ second.T) * (hidden > 0)
        second -= np.float32(1e-7) * (hidden.T @ error)
        first -= np.float32(1e-7) * (x.T @ back)
    return float(np.abs(first).sum())


def products(rng):
    """150 products of 1,200 x 1,200."""
    a = rng.standard_normal((1_200, 1_200)) / 35
    b = a
    for _ in range(150):
        b = a @ b
        b /= np.abs(b).max()
    return np.abs(b).sum()


def least_squares(rng):
    """Normal equations of 30,000 x 800, twice."""
    total = 0.0
    for _ in range(2):
        a = rng.standard_normal((30_000, 800))
        b = a @ np.ones(800)
        total += np.linalg.solve(a.T @ a, a.T @ b).sum()
    return total


def gram(rng):
    """A A^T of 3,000 x 3,000, which NumPy gives to syrk, three times."""
    a = rng.random((3_000, 3_000), dtype=np.float32)
    total = 0.0
    for _ in range(3):
        total += float(np.trace(a @ a.T))
    return total


def kmeans(rng):
    """100,000 points of 64 dimensions, 200 centres, 8 rounds."""
    x = rng.random((100_000, 64), dtype=np.float32)
    centres = x[:200].copy()
    for _ in range(8):
        distances = (centres * centres).sum(axis=1) - 2 * (x @ centres.T)
        nearest = distances.argmin(axis=1)
        for i in range(len(centres)):
            members = x[nearest == i]
            if len(members):
                centres[i] = members.mean(axis=0)
    return float(centres.sum())


def power(rng):
    """The 1,000th power of a 2,000 x 2,000 stochastic matrix, by squaring."""
    a = rng.random((2_000, 2_000))
    a /= a.sum(axis=1, keepdims=True)
    result, factor, exponent = None, a, 1_000
    while exponent:
        if exponent & 1:
            result = factor if result is None else result @ factor
        factor = factor @ factor
        exponent >>= 1
    return result[0].sum()


def updates(rng):
    """A blocked LU factorisation without pivots, 3,000 x 3,000, blocks of 128."""
    n, block = 3_000, 128
    a = rng.random((n, n)) + n * np.eye(n)
    for i in range(0, n, block):
        end = min(i + block, n)
        for j in range(i, end):
            a[j + 1:, j] /= a[j, j]
            a[j + 1:, j + 1:end] -= np.outer(a[j + 1:, j], a[j, j + 1:end])
        lower = np.tril(a[i:end, i:end], -1) + np.eye(end - i)
        a[i:end, end:] = np.linalg.solve(lower, a[i:end, end:])
        a[end:, end:] -= a[end:, i:end] @ a[i:end, end:]
    return np.log(np.diag(a)).sum()


def network(rng, steps=4, product=lambda kind, a, b: a @ b):
    """Twelve layers of 2,048, batches of 1,024, trained for four steps: 144 products."""
    layers = [rng.standard_normal((2_048, 2_048)).astype(np.float32) / 45 for _ in range(12)]
    for _ in range(steps):
        values = [rng.standard_normal((1_024, 2_048)).astype(np.float32)]
        for layer in layers:
            values.append(np.maximum(product("forward", values[-1], layer), 0))
        error = values[-1] - 1
        for i in reversed(range(12)):
            error *= values[i + 1] > 0
            change = product("change", values[i].T, error)
            error = product("error", error, layers[i].T)
            layers[i] -= np.float32(1e-7) * change
    return float(np.abs(layers[0]).sum())


def eigenvectors(rng):
    """One product of 8,000 x 1,500, and the eigenvectors of its result, which no device does."""
    x = rng.standard_normal((8_000, 1_500))
    values, vectors = np.linalg.eigh(x.T @ x)
    return values[-1] + np.abs(vectors[0]).sum()


def given_products(text, rng):
    """Square products of one type and size, as many as the text says."""
    kind, n, count = text.split(":")
    a = rng.standard_normal((int(n), int(n))).astype(kind)
    return sum(float((a @ a)[0, 0]) for _ in range(int(count)))


CALLS = {
    "matmul": lambda a, b: a @ a,
    "solve": np.linalg.solve,
    "inv": lambda a, b: np.linalg.inv(a),
    "cholesky": lambda a, b: np.linalg.cholesky(a),
    "qr": lambda a, b: np.linalg.qr(a)[1],
}


def given_calls(text, rng):
    """Of a matrix that is definite, as cholesky wants it, made without BLAS."""
    name, n, count = text.split(":")
    n, call = int(n), CALLS[name]
    a = rng.standard_normal((n, n))
    a, b = a + a.T + 4 * n * np.eye(n), rng.standard_normal(n)
    total = seconds = 0.0
    for _ in range(int(count)):
        begun = time.perf_counter()
        result = call(a, b)
        seconds += time.perf_counter() - begun
        total += float(result.flat[-1])
    return total, seconds


PROGRAMS = {f.__name__: f for f in (pca, mix, kernel_ridge, mlp, products, least_squares, gram,
                                    kmeans, power, updates, network, eigenvectors)}


def main():
    if sys.argv[1:] == ["--list"]:
        print("\n".join(PROGRAMS))
        return
    name, rng = sys.argv[1], np.random.default_rng(1)
    if name.startswith("generated:"):
        print(f"{generated.run(int(name.split(':')[1])):.6g}")
    elif name.split(":")[0] in CALLS:
        total, seconds = given_calls(name, rng)
        print(f"{total:.6g} {seconds:.6f}")
    else:
        print(f"{given_products(name, rng) if ':' in name else PROGRAMS[name](rng):.6g}")


if __name__ == "__main__":
    main()

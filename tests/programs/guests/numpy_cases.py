"""What NumPy asks of a BLAS, and how far two right answers may be apart.

numpy_cases.py compute FILE [TYPE]    computes every case (of float64, say), announced on standard error
numpy_cases.py compare FILE FILE      prints a line per case: name and distance, right below 1
"""
import concurrent.futures
import sys

import numpy as np

TYPES = (np.float32, np.float64, np.complex64, np.complex128)
SIZES = {"m": 97, "n": 122, "k": 161}


def filled(dtype, *shape):
    """The same numbers in every run. NumPy fills without a BLAS."""
    draw = np.random.default_rng(sum(shape)).standard_normal
    values = draw(shape) + (1j * draw(shape) if np.issubdtype(dtype, np.complexfloating) else 0)
    return values.astype(dtype)


def norm(x):
    return np.sqrt(np.sum(np.abs(x).astype(np.float64) ** 2))


def unit(dtype):
    """Unit roundoff of an operation; complex ones have 2 sqrt(2) of it."""
    return np.finfo(dtype).eps / 2 * (2 * np.sqrt(2) if np.dtype(dtype).kind == "c" else 1)


class Product:
    """A chain of products. Each adds sqrt(k + 2) roundings of the norms' product (Higham, Accuracy
    and Stability of Numerical Algorithms, section 3.5)."""

    def __init__(self, multiply, *factors):
        self.multiply = multiply
        self.factors = factors

    def compute(self):
        result = self.multiply(*self.factors)
        return result if isinstance(result, list) else [result]

    def distance(self, got, expected):
        roundings = sum(np.sqrt(max(x.shape) + 2) for x in self.factors)
        allowed = roundings * np.prod([norm(x) for x in self.factors]) * unit(self.factors[0].dtype)
        return max(norm(x - y) for x, y in zip(got, expected, strict=True)) / (2 * allowed)


class Solve:
    """Right answers differ by 3 n roundings, magnified by the condition (Higham, section 9.3)."""

    def __init__(self, a, b, solve=np.linalg.solve):
        self.a, self.b, self.solve = a, b, solve

    def compute(self):
        return [self.solve(self.a, self.b)]

    def distance(self, got, expected):
        allowed = 3 * len(self.a) * np.linalg.cond(self.a) * norm(expected[0])
        return norm(got[0] - expected[0]) / (2 * allowed * unit(got[0].dtype))


class Cholesky:
    """The product of the factors is the matrix, but for n + 1 roundings (Higham, section 10.1.1)."""

    def __init__(self, a):
        self.a = a

    def compute(self):
        return [np.linalg.cholesky(self.a)]

    def distance(self, got, expected):
        allowed = (len(self.a) + 1) * norm(self.a) * unit(self.a.dtype)
        return max(norm(x[0] @ x[0].conj().T - self.a) for x in (got, expected)) / allowed


class Orthogonal:
    """The product of the factors is the matrix, and Q^H Q the identity, but for roundings that grow
    with the columns (Higham, section 19.3)."""

    def __init__(self, a):
        self.a = a

    def compute(self):
        return list(np.linalg.qr(self.a))

    def distance(self, got, expected):
        n = self.a.shape[1]
        allowed = n * norm(self.a) * unit(self.a.dtype)
        products = max(norm(q @ r - self.a) for q, r in (got, expected)) / allowed
        identities = max(norm(q.conj().T @ q - np.eye(n)) for q, _ in (got, expected))
        return max(products, identities / (n * np.sqrt(n) * unit(self.a.dtype)))


class LogDeterminant:
    """Moves by the condition times the backward error, once per column."""

    def __init__(self, a):
        self.a = a

    def compute(self):
        return [np.array(np.linalg.slogdet(self.a))]

    def distance(self, got, expected):
        n = len(self.a)
        allowed = 3 * n * n * np.linalg.cond(self.a) * unit(self.a.dtype)
        return np.max(np.abs(got[0] - expected[0])) / (2 * allowed)


class Factors:
    """Singular or eigenvalues move by n roundings of the largest; vectors are not unique, but their
    product is the matrix again."""

    def __init__(self, factorise, rebuild, a):
        self.factorise, self.rebuild, self.a = factorise, rebuild, a

    def compute(self):
        return list(self.factorise(self.a))

    def distance(self, got, expected):
        allowed = max(self.a.shape) * norm(self.a) * unit(self.a.dtype)
        values, others = (next(x for x in part if x.ndim == 1) for part in (got, expected))
        return max(norm(values - others) / 2, norm(self.rebuild(*got) - self.a)) / allowed


def in_eight_threads(x, y):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return list(pool.map(lambda _: x @ y, range(8)))


def products(dtype):
    m, n, k = SIZES["m"], SIZES["n"], SIZES["k"]
    a, b, c = filled(dtype, m, k), filled(dtype, k, n), filled(dtype, n, m)
    wide, tall = filled(dtype, 2 * m, 3 * k), filled(dtype, k + 7, n + 5)
    yield "product", Product(np.matmul, a, b)
    yield "square", Product(np.dot, filled(dtype, 256, 256), filled(dtype, 256, 256))
    yield "transposed_left", Product(np.matmul, filled(dtype, k, m).T, b)
    yield "transposed_right", Product(np.matmul, a, filled(dtype, n, k).T)
    yield "transposed_both", Product(np.matmul, filled(dtype, k, m).T, filled(dtype, n, k).T)
    yield "fortran_order", Product(np.matmul, np.asfortranarray(a), b)
    yield "adjoint", Product(np.matmul, filled(dtype, k, m).conj().T, b)
    yield "inner_window", Product(np.matmul, wide[3:m + 3, 5:k + 5], tall[7:, :n])
    yield "strided", Product(np.dot, wide[::2, 1::3], tall[:k, ::-1])
    yield "batched", Product(np.matmul, filled(dtype, 3, m, k), filled(dtype, 3, k, n))
    yield "out", Product(lambda x, y: np.matmul(x, y, out=np.empty((m, n), dtype)), a, b)
    yield "einsum", Product(lambda x, y, z: np.einsum("ij,jk,kl->il", x, y, z, optimize=True),
                            a, b, c)
    yield "threads", Product(in_eight_threads, a, b)


def cross_products(dtype):
    a = filled(dtype, SIZES["m"], SIZES["k"])
    yield "times_own_transpose", Product(lambda x, y: x @ y.T, a, a)
    yield "own_transpose_times", Product(lambda x, y: x.T @ y, a, a)


def matrix_vector(dtype):
    m, k = SIZES["m"], SIZES["k"]
    a, x, y = filled(dtype, m, k), filled(dtype, k), filled(dtype, m)
    wide, long = filled(dtype, 2 * m, 3 * k), filled(dtype, 3 * k)
    yield "product", Product(np.matmul, a, x)
    yield "transposed", Product(np.matmul, a.T, y)
    yield "from_the_left", Product(np.matmul, y, a)
    yield "fortran_order", Product(np.matmul, np.asfortranarray(a), x)
    yield "fortran_order_transposed", Product(np.dot, np.asfortranarray(a).T, y)
    yield "adjoint", Product(np.matmul, filled(dtype, k, m).conj().T, x)
    yield "inner_window", Product(np.matmul, wide[3:m + 3, 5:k + 5], x)
    yield "odd_step", Product(np.matmul, a, long[2::3])
    yield "backwards", Product(np.dot, a, long[k - 1::-1])
    yield "odd_step_backwards", Product(np.dot, a, long[::-3])
    yield "odd_steps_of_both", Product(np.dot, wide[::2, ::3], long[::3])


def odd_strides(dtype):
    """Some NumPys copy these operands and call a BLAS, others have loops for them."""
    m, n, k = SIZES["m"], SIZES["n"], SIZES["k"]
    yield "matmul", Product(np.matmul, filled(dtype, 2 * m, 3 * k)[::2, 1::3],
                            filled(dtype, k, n)[:, ::-1])


def factorisations(dtype):
    n = SIZES["n"]
    a = filled(dtype, n, n)
    yield "solve", Solve(a + n * np.eye(n, dtype=dtype), filled(dtype, n, 40))
    yield "svd", Factors(np.linalg.svd, lambda u, s, v: (u[:, :n] * s) @ v, a)
    yield "eigh", Factors(np.linalg.eigh, lambda w, v: (v * w) @ v.conj().T, a + a.conj().T)


def linear_systems(dtype):
    n = SIZES["n"]
    a = filled(dtype, n, n)
    yield "solve", Solve(a, filled(dtype, n))
    yield "solve_many", Solve(a, filled(dtype, n, n + 30))
    yield "inverse", Solve(a, np.eye(n, dtype=dtype), lambda x, _: np.linalg.inv(x))
    yield "determinant", LogDeterminant(a)
    yield "cholesky", Cholesky(a @ a.conj().T + np.eye(n, dtype=dtype))
    yield "qr", Orthogonal(filled(dtype, n + 30, n))


def cases():
    for dtype in TYPES:
        for group in (products, cross_products, matrix_vector, odd_strides, factorisations, linear_systems):
            for name, case in group(dtype):
                yield f"{group.__name__}.{name}.{np.dtype(dtype).name}", case


def compute(path, dtype=""):
    results = {}
    for name, case in cases():
        if not name.endswith(dtype):
            continue
        print(f"case {name}", file=sys.stderr, flush=True)
        for index, part in enumerate(case.compute()):
            results[f"{name}.{index}"] = part
    print("case end", file=sys.stderr, flush=True)
    np.savez(path, **results)


def compare(path, reference):
    with np.load(path) as got, np.load(reference) as expected:
        for name, case in cases():
            keys = [key for key in expected if key.rpartition(".")[0] == name]
            if keys:
                print(name, case.distance([got[key] for key in keys], [expected[key] for key in keys]))


if __name__ == "__main__":
    {"compute": compute, "compare": compare}[sys.argv[1]](*sys.argv[2:])

"""NumPy, SciPy and torch in one process, each with products and equations of its own BLAS and LAPACK."""
import numpy
import scipy.linalg
import torch

# Whole numbers, whose products every order of summation gets exactly.
numbers = numpy.random.default_rng(1)
LEFT, RIGHT = (numbers.integers(-9, 9, (2, 150, 150)) for _ in range(2))
EXPECTED = LEFT @ RIGHT
TYPES = ("float32", "float64", "complex64", "complex128")


def right(name, result, expected):
    assert numpy.array_equal(numpy.asarray(result), expected), name


def solves(name, solve, dtype):
    matrix = LEFT[0].astype(dtype) + 2000 * numpy.eye(150, dtype=dtype)
    solution = numpy.asarray(solve(matrix, RIGHT[0].astype(dtype)))
    residual = numpy.abs(matrix @ solution - RIGHT[0]).max()
    assert residual < 1e4 * numpy.finfo(dtype).eps, (name, residual)


for dtype in TYPES:
    left, right_factor = LEFT.astype(dtype), RIGHT.astype(dtype)
    right(f"numpy.{dtype}", left[0] @ right_factor[0], EXPECTED[0])
    gemm = scipy.linalg.get_blas_funcs("gemm", dtype=numpy.dtype(dtype))
    right(f"scipy.{dtype}", gemm(1, left[0], right_factor[0]), EXPECTED[0])
    ours, other = torch.from_numpy(left), torch.from_numpy(right_factor)
    right(f"torch.{dtype}", ours[0] @ other[0], EXPECTED[0])
    # A batch: cblas_?gemm_batch of the BLAS inside, which has other arguments elsewhere.
    right(f"torch_batch.{dtype}", torch.bmm(ours, other), EXPECTED)
    solves("numpy", numpy.linalg.solve, dtype)
    solves("scipy", scipy.linalg.solve, dtype)
    solves("torch", lambda a, b: torch.linalg.solve(torch.from_numpy(a), torch.from_numpy(b)), dtype)
print("all are right")

"""Multiplies through an OpenBLAS that ctypes loads, as Python loads everything: RTLD_LOCAL, so that
its names are in no one's scope.

loaded_products.py handle        through the handle of that library
loaded_products.py global        through the name that the process finds first: the drop-in's
loaded_products.py illegal       the latter, with a leading dimension that is too small
"""
import ctypes
import sys

SIZE = 12


def multiply(dgemm, lda):
    values = ctypes.c_double * (SIZE * SIZE)
    a, b, c = values(*map(float, range(SIZE * SIZE))), values(*[2.0] * (SIZE * SIZE)), values()
    size, lda = ctypes.byref(ctypes.c_int(SIZE)), ctypes.byref(ctypes.c_int(lda))
    one, zero = ctypes.byref(ctypes.c_double(1)), ctypes.byref(ctypes.c_double(0))
    dgemm(b"N", b"N", size, size, size, one, a, lda, b, size, zero, c, size)
    # Column-major: each column of C is twice the sum of A's columns. All are whole numbers.
    rows = [2 * sum(a[i + SIZE * k] for k in range(SIZE)) for i in range(SIZE)]
    return list(c) == rows * SIZE


def main(way):
    library = ctypes.CDLL("libopenblas.so.0", mode=ctypes.DEFAULT_MODE | ctypes.RTLD_LOCAL)
    found = library if way == "handle" else ctypes.CDLL(None)
    right = multiply(found.dgemm_, 1 if way == "illegal" else SIZE)
    print("right" if right else "untouched or wrong")
    with open("/proc/self/maps", encoding="utf-8") as maps:
        print(maps.read())


if __name__ == "__main__":
    main(sys.argv[1])

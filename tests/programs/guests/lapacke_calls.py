"""LAPACKE, through the C interface that C programs link, in both layouts: each call is announced on
standard error, and what it made of the equations is held against them.

lapacke_calls.py LIBRARY         prints how many calls were right"""
import ctypes
import random
import sys

ORDER, SIDES = 60, 3
ROW_MAJOR, COLUMN_MAJOR = 101, 102
# Of a number's parts: how many, their type, and the unit of its roundings.
TYPES = {"s": (1, ctypes.c_float, 2.0 ** -23), "d": (1, ctypes.c_double, 2.0 ** -52),
         "c": (2, ctypes.c_float, 2.0 ** -23), "z": (2, ctypes.c_double, 2.0 ** -52)}
MOST = 30  # of roundings, as LAPACK's own tests have it

lapacke = ctypes.CDLL(sys.argv[1])


class Matrix:
    def __init__(self, letter, layout, rows, columns, make):
        self.rows, self.columns, self.layout = rows, columns, layout
        self.parts, part, _ = TYPES[letter]
        self.data = (part * (rows * columns * self.parts))()
        self.ld = columns if layout == ROW_MAJOR else rows
        for i in range(rows):
            for j in range(columns):
                value = complex(make(i, j))
                self.data[self.place(i, j)] = value.real
                if self.parts == 2:
                    self.data[self.place(i, j) + 1] = value.imag
        self.values = self.elements()

    def place(self, i, j):
        return self.parts * (i * self.ld + j if self.layout == ROW_MAJOR else j * self.ld + i)

    def at(self, i, j):
        place = self.place(i, j)
        return self.data[place] if self.parts == 1 else complex(*self.data[place:place + 2])

    def elements(self):
        return [[self.at(i, j) for j in range(self.columns)] for i in range(self.rows)]

    def argument(self):
        return self.data, ctypes.c_int(self.ld)


def norm(rows):
    return max(map(sum, zip(*[[abs(x) for x in row] for row in rows])))


def roundings(a, x, b, unit):
    """Of A X = B, as LAPACK Working Note 41 counts them."""
    difference = [[sum(p * q for p, q in zip(row, column)) - b[i][j]
                   for j, column in enumerate(zip(*x))] for i, row in enumerate(a)]
    return norm(difference) / (norm(a) * norm(x) * ORDER * unit)


def right(letter, layout):
    parts, _, unit = TYPES[letter]
    draw = random.Random(7)
    number = lambda: complex(draw.uniform(-1, 1), draw.uniform(-1, 1) if parts == 2 else 0)
    numbers = [[number() for _ in range(ORDER)] for _ in range(ORDER)]
    general = lambda: Matrix(letter, layout, ORDER, ORDER, lambda i, j: numbers[i][j])
    definite = lambda: Matrix(letter, layout, ORDER, ORDER,
                              lambda i, j: numbers[i][j] if i < j else numbers[j][i].conjugate() if i > j
                              else ORDER)
    sides = lambda: Matrix(letter, layout, ORDER, SIDES, lambda i, j: numbers[j][i])
    pivots = (ctypes.c_int * ORDER)()
    n, k, upper, plain = ctypes.c_int(ORDER), ctypes.c_int(SIDES), ctypes.c_char(b"U"), ctypes.c_char(b"N")

    def call(name, *arguments):
        print(f"case {letter}{name}.{layout}", file=sys.stderr, flush=True)
        assert getattr(lapacke, f"LAPACKE_{letter}{name}")(ctypes.c_int(layout), *arguments) == 0, name

    def is_solved(a, x, b):
        return roundings(a.values, x.elements(), b.values, unit) < MOST

    count = 0
    a, b = general(), sides()
    call("gesv", n, k, *a.argument(), pivots, *b.argument())
    count += is_solved(a, b, b)
    a, b = general(), sides()
    call("getrf", n, n, *a.argument(), pivots)
    call("getrs", plain, n, k, *a.argument(), pivots, *b.argument())
    count += is_solved(a, b, b)
    a, b = definite(), sides()
    call("posv", upper, n, k, *a.argument(), *b.argument())
    count += is_solved(a, b, b)
    a, b = definite(), sides()
    call("potrf", upper, n, *a.argument())
    call("potrs", upper, n, k, *a.argument(), *b.argument())
    count += is_solved(a, b, b)
    return count


print(sum(right(letter, layout) for letter in TYPES for layout in (ROW_MAJOR, COLUMN_MAJOR)))

"""libduoblas in this process, by ctypes."""
import ctypes
import dataclasses
import pathlib

from duoblas.launcher import PACKAGE
from duoblas.mapped import mapped_files

STRATEGIES = ("auto", "cpu", "gpu", "hybrid")
CHECKS = ("off", "sampled", "always")
NOT_LOADED = ("the drop-in BLAS is not in this process: start the program by \"python -m duoblas SCRIPT\" "
              "or \"duoblas run -- PROGRAM\"")


class Summary(ctypes.Structure):
    """duoblas_call_summary of duoblas.h."""
    _fields_ = [("strategy", ctypes.c_int), ("gpu_parts", ctypes.c_int), ("parts", ctypes.c_int),
                ("gpu_rows", ctypes.c_int64), ("by_columns", ctypes.c_int), ("products", ctypes.c_int64),
                ("gpu_products", ctypes.c_int64), ("recovered", ctypes.c_int),
                ("passed_on", ctypes.c_int), ("seconds", ctypes.c_double), ("reason", ctypes.c_char_p)]


@dataclasses.dataclass(frozen=True)
class Call:
    """What became of a call. Rows and columns are those of the row-major C."""
    strategy: str  # cpu, gpu or hybrid
    gpu_share: float  # of the work, as planned
    gpu_rows: int  # columns, if by_columns
    by_columns: bool
    products: int  # in a batch
    gpu_products: int
    recovered: bool  # the CPU computed the GPU's part: `reason` says why
    passed_on: bool  # the program's own BLAS did it
    seconds: float  # 0 where it was passed on
    reason: str


def is_loaded():
    """Whether the drop-in BLAS is in this process, before the program's own."""
    return hasattr(ctypes.CDLL(None), "duoblas_dropin_version")


def library_path():
    """The one that the drop-in opens: beside itself."""
    of_dropin = [file.parent for file in mapped_files() if file.name.startswith("libduoblas_blas.so")]
    for folder in (*of_dropin, PACKAGE / "lib"):
        library = pathlib.Path(folder, "libduoblas.so.0")
        if library.is_file():
            return str(library)
    return "libduoblas.so.0"


def library():
    found = ctypes.CDLL(library_path())
    for function in (found.duoblas_version, found.duoblas_summary, found.duoblas_last_error):
        function.restype = ctypes.c_char_p
    return found


def version():
    """Of libduoblas."""
    return library().duoblas_version().decode()


def last_call():
    """This thread's last call that was looked at; None: there was none. Calls that cannot gain, such as
    small ones, or all where there is no GPU, are not, unless DUOBLAS_SUMMARY=1 asks about each."""
    if not is_loaded():
        return None
    seen = Summary()
    check(library(), library().duoblas_last_call(ctypes.byref(seen)))
    if not seen.reason:
        return None
    return Call(STRATEGIES[seen.strategy], seen.gpu_parts / seen.parts, seen.gpu_rows,
                bool(seen.by_columns), seen.products, seen.gpu_products, bool(seen.recovered),
                bool(seen.passed_on), seen.seconds, seen.reason.decode())


def summary():
    """The table of this process's calls so far. "" unless DUOBLAS_SUMMARY=1 is set, which
    `--summary` does."""
    return library().duoblas_summary().decode() if is_loaded() else ""


def set_strategy(name):
    """Who computes the following large calls: auto, cpu, gpu or hybrid. Does nothing in a program that
    was started with DUOBLAS_STRATEGY=cpu or DUOBLAS_DEVICE=none."""
    number = number_of(name, STRATEGIES)
    if is_loaded():
        ctypes.CDLL(None).duoblas_dropin_begin()
    choose("duoblas_set_strategy", number)


def set_check(name):
    """Which of the GPU's results are checked from now on: off, sampled or always."""
    choose("duoblas_set_check", number_of(name, CHECKS))


def number_of(name, names):
    if name not in names:
        raise ValueError(f"{name!r} is none of {', '.join(names)}")
    return names.index(name)


def choose(function, number):
    if not is_loaded():
        raise RuntimeError(NOT_LOADED)
    found = library()
    check(found, getattr(found, function)(number))


def check(found, status):
    if status != 0:
        raise RuntimeError(found.duoblas_last_error().decode())

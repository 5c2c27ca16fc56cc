"""Becomes the command `duoblas` that lies in this package. `duoblas run` preloads the drop-in."""
import importlib.util
import os
import pathlib

PACKAGE = pathlib.Path(__file__).resolve().parent


class CannotStart(Exception):
    """One line that says why."""


def openblas_of_wheel():
    """The library of the package scipy-openblas32, which the wheel depends on; None: not installed."""
    spec = importlib.util.find_spec("scipy_openblas32")
    for folder in spec.submodule_search_locations or () if spec else ():
        library = pathlib.Path(folder, "lib", "libscipy_openblas.so")
        if library.is_file():
            return str(library)
    return None


def environment():
    """That of this process. The CPU side takes the wheel's OpenBLAS unless the user names another."""
    variables = dict(os.environ)
    library = openblas_of_wheel()
    if library and not variables.get("DUOBLAS_CPU_BLAS"):
        variables["DUOBLAS_CPU_BLAS"] = library
    return variables


def start(arguments):
    """Returns only by an exception."""
    command = PACKAGE / "bin" / "duoblas"
    try:
        os.execve(command, ["duoblas", *arguments], environment())
    except FileNotFoundError:
        raise CannotStart(f"{command} is missing: this package is not the wheel. Install that, or use "
                          "the command duoblas of your installation (duoblas run -- PROGRAM)") from None
    except OSError as error:
        raise CannotStart(f"cannot run {command}: {error.strerror}") from None

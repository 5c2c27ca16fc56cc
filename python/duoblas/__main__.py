"""python -m duoblas: starts Python again, with the drop-in BLAS before the one that NumPy brings."""
import sys

from duoblas.launcher import CannotStart, start

USAGE = """usage: python -m duoblas [--summary] SCRIPT [ARGUMENT...]
       python -m duoblas [--summary] -c CODE [ARGUMENT...]
       python -m duoblas [--summary] -m MODULE [ARGUMENT...]

Runs it as python does, with large matrix products on the CPU and the GPU at once. --summary prints
at its end what became of them. Options of python stay: python -X dev -m duoblas SCRIPT.
"""


def interpreter_options(original, own):
    """What python was given before `-m duoblas`; `own`: how many arguments follow it."""
    before = original[1:len(original) - own]
    if before and before[-1] == "duoblas":
        before.pop()
    elif not (before and before[-1].endswith("mduoblas")):
        return []  # started by another program, as a module of its own
    last = before.pop().removesuffix("duoblas").removesuffix("m")
    return before if last == "-" else [*before, last]


def main():
    arguments = sys.argv[1:]
    if arguments[:1] in (["-h"], ["--help"]):
        print(USAGE, end="")
        return 0
    options = [option for option in arguments[:1] if option == "--summary"]
    program = arguments[len(options):]
    if not program:
        print(USAGE, end="", file=sys.stderr)
        return 2
    if not sys.executable:
        raise CannotStart("Python does not know its own file (sys.executable is empty)")
    python = [sys.executable, *interpreter_options(sys.orig_argv, len(arguments)), *program]
    return start(["run", *options, "--", *python])


def command():
    """The command `duoblas` of the wheel: that of C++, with the BLAS that the wheel depends on."""
    return start(sys.argv[1:])


def entry(function):
    try:
        return function()
    except CannotStart as error:
        print(f"duoblas: {error}", file=sys.stderr)
        return 1


def console():
    sys.exit(entry(command))


if __name__ == "__main__":
    sys.exit(entry(main))

"""A way to run a program, as the benchmarks' command lines have it: LIBRARY[,VARIABLE=VALUE...]."""
import os
import sys


def environment(way):
    """This process's, with the library preloaded, where there is one, and the variables set.

    Ends the benchmark if the library is not there: the loader would go on without it."""
    result = dict(os.environ)
    library, *settings = way.split(",")
    result.update(setting.split("=", 1) for setting in settings)
    if "/" in library and not os.path.exists(library):
        sys.exit(f"there is no {library}")
    if library:
        result["LD_PRELOAD"] = library
    return result

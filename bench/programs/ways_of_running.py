"""A way to run a program, as the benchmarks' command lines have it: LIBRARY[,VARIABLE=VALUE...]."""
import os


def environment(way):
    """This process's, with the library preloaded, where there is one, and the variables set."""
    result = dict(os.environ)
    library, *settings = way.split(",")
    result.update(setting.split("=", 1) for setting in settings)
    if library:
        result["LD_PRELOAD"] = library
    return result

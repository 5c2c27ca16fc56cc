"""The files that this process has mapped."""
import pathlib


def mapped_files():
    """Each once, in the order of their addresses."""
    files = {}
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as lines:
        for line in lines:
            fields = line.rstrip("\n").split(maxsplit=5)
            if len(fields) == 6 and fields[5].startswith("/"):
                files[pathlib.Path(fields[5])] = None
    return list(files)

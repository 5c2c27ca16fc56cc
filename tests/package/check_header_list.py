"""Fails where the list of headers that are compiled alone differs from the folder's."""
import pathlib
import sys

folder, listed = pathlib.Path(sys.argv[1]), set(sys.argv[2:])
found = {path.stem for path in folder.glob("*.hpp")}
c_headers = {path.name for path in folder.glob("*.h")}
if found != listed or c_headers != {"batched.h", "duoblas.h", "lapack.h", "opencl.h", "vectors.h"}:
    sys.exit(f"compiled alone: {sorted(listed)}\nin the folder: {sorted(found)} and {sorted(c_headers)}")

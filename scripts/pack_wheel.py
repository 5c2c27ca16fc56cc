#!/usr/bin/env python3
"""Packs a folder with the package `duoblas` as a wheel (PEP 427), and prints its path.

    scripts/pack_wheel.py TREE FOLDER
"""
import base64
import hashlib
import pathlib
import platform
import re
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADER = ROOT / "include/duoblas/duoblas.h"

METADATA = """Metadata-Version: 2.1
Name: duoblas
Version: {version}
Summary: BLAS on the CPU and the GPU of one machine at once
License: Apache-2.0
Requires-Python: >=3.10
Requires-Dist: scipy-openblas32
Description-Content-Type: text/markdown

    pip install duoblas
    python -m duoblas script.py

runs the script with its large matrix products on the CPU and the GPU (any with an OpenCL driver).
`duoblas doctor` says what is missing for that; `duoblas tune` finds this machine's kernels and splits.
"""
ENTRIES = """[console_scripts]
duoblas = duoblas.__main__:console
"""
WHEEL = """Wheel-Version: 1.0
Generator: scripts/pack_wheel.py
Root-Is-Purelib: false
Tag: {tag}
"""


def version_of_header():
    text = HEADER.read_text(encoding="utf-8")
    return ".".join(re.search(rf"DUOBLAS_VERSION_{part} (\d+)", text).group(1)
                    for part in ("MAJOR", "MINOR", "PATCH"))


def row(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}\n"


def pack(tree, folder):
    version, tag = version_of_header(), f"py3-none-linux_{platform.machine()}"
    info = f"duoblas-{version}.dist-info"
    files = {str(path.relative_to(tree)): (path.read_bytes(), path.stat().st_mode & 0o777)
             for path in sorted(tree.rglob("*")) if path.is_file()}
    for name, text in (("METADATA", METADATA.format(version=version)), ("entry_points.txt", ENTRIES),
                       ("WHEEL", WHEEL.format(tag=tag)),
                       ("licenses/LICENSE", (ROOT / "LICENSE").read_text(encoding="utf-8"))):
        files[f"{info}/{name}"] = (text.encode(), 0o644)
    record = "".join(row(name, content) for name, (content, _) in files.items())
    files[f"{info}/RECORD"] = (f"{record}{info}/RECORD,,\n".encode(), 0o644)
    wheel = folder / f"duoblas-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (content, mode) in files.items():
            # The time is the oldest that a zip file can say, so that equal trees give equal wheels.
            entry = zipfile.ZipInfo(name)
            entry.external_attr = (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel


if __name__ == "__main__":
    print(pack(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))

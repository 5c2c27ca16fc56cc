#!/usr/bin/env python3
"""Runs kernel_sample under Oclgrind, which simulates an OpenCL device and sees every access of memory.

    run_oclgrind.py KERNEL_SAMPLE

Fails on an access outside a buffer, a data race, a value that is used uninitialised, an error of an
OpenCL call, or a wrong result. Exits with 77, which ctest shows as skipped, where Oclgrind is not
installed.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
LIBRARY = "liboclgrind-rt-icd.so"


def find_library():
    """Oclgrind as a driver: DuoBLAS loads OpenCL late, past what `oclgrind` itself preloads."""
    program = shutil.which("oclgrind")
    if program is None:
        return None
    prefix = Path(program).resolve().parent.parent
    found = [path for folder in ("lib", "lib64") for path in (prefix / folder).rglob(LIBRARY)]
    return found[0] if found else None


def run(sample, library, arguments, checks):
    """What the sample printed, the reports of Oclgrind (one per paragraph), and the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        driver = Path(folder) / "oclgrind.icd"
        driver.write_text(f"{library}\n")
        log = Path(folder) / "log"
        environment = dict(os.environ, OCL_ICD_VENDORS=str(driver), OCLGRIND_LOG=str(log),
                           OCLGRIND_CHECK_API="1", OCLGRIND_DATA_RACES="1",
                           # Its interpreter does not know every instruction that optimising makes
                           # ("freeze").
                           OCLGRIND_BUILD_OPTIONS="-cl-opt-disable")
        environment.update({check: "1" for check in checks})
        done = subprocess.run([sample, *arguments], env=environment, capture_output=True, text=True,
                              check=False)
        text = log.read_text() if log.exists() else ""
    reports = [part.strip() for part in re.split(r"\n\s*\n", text) if part.strip()]
    return done.stdout, done.stderr, reports, done.returncode


def main():
    sample = sys.argv[1]
    library = find_library()
    if library is None:
        print("skipped: Oclgrind is not installed (Debian package oclgrind)")
        return SKIPPED
    failed = False

    # What it must find, or finding nothing else would mean nothing.
    _, _, reports, _ = run(sample, library, ["--broken"], ["OCLGRIND_UNINITIALIZED"])
    for fault in ("Invalid read", "Uninitialized value", "data race"):
        if not any(fault in report for report in reports):
            print(f"Oclgrind does not report: {fault}\n" + "\n".join(reports[:3]))
            failed = True

    # What is read through an image counts as uninitialised there.
    print("left out: uninitialised values behind images; asynchronous copies, matrix instructions and "
          "shuffles, which are NVIDIA's")
    for arguments, checks in ((["--without", "image"], ["OCLGRIND_UNINITIALIZED"]),
                              (["--only", "image"], [])):
        output, errors, reports, status = run(sample, library, arguments, checks)
        print(output, end="")
        if status != 0:
            print(f"{sample} {' '.join(arguments)} ended with {status}\n{errors}")
            failed = True
        if "Oclgrind Simulator" not in output:
            print("the device is not Oclgrind's")
            failed = True
        if reports:
            print(f"Oclgrind reports {len(reports)} faults, the first of them:\n\n" +
                  "\n\n".join(reports[:5]))
            failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Finds the commands on the pages of results, and runs each briefly: does it still run, and print figures?

    scripts/result_commands.py                               lists them, with page and line
    scripts/result_commands.py --run BUILD_FOLDER [FILTER]   runs those that have FILTER in their line of that list

A command is inline code that begins with a program of ours, perhaps after settings and `taskset`; options alone are
none. A run is on the stand-in, in a new folder with profile and caches of its own, with the small values of SMALL.
Exit status 1: one failed that does not lack anything of this machine's.
"""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

TREE = pathlib.Path(__file__).resolve().parent.parent
LIMIT = 120  # seconds of a command; on a quiet machine most take 1 to 5, tuning by integers on a CPU 50
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
# Tests have arguments here: their names alone say what passed.
COMMAND = re.compile(r"((?:\w+=\S+ |taskset -c \S+ )*)((?:duoblas|right_products|check_statistics|\w+_test)(?= )|"
                     r"duoblas_soak|bench_\w+|(?!tests/)[\w./]+\.(?:py|sh))((?: .*)?)$")
# Options that get these values; with "?" only where they were given, with "+" only where not. And what takes long.
SMALL = {
    "duoblas bench": "--size 256 ?--sweep mnk=128:256:*2 ?--rounds 2 --seconds 0.1",  # products of 8192
    "duoblas tune": "--size 256 --budget 3 --kernels 4 +--ops nn",  # minutes
    "duoblas tune --routine": "--size 256 --budget 3", "duoblas selftest": "--only timings",
    "right_products": "--calls 2000", "check_statistics": "--calls 20",
    "duoblas_soak": "--calls 10 ?--seconds 5 --largest 64",  # references
    "bench_gemm host": "--n 256 --seconds 0.1",  # 59825: 43 GB
    "bench_gemm device": "--size 128 --rounds 1 --top 1 +--points built-in",  # building a GPU's kernels
    "bench_gemm batch": "--size 16 --megabytes 1 --rounds 1 --top 1",
    "bench_gemm shapes": "--shapes 1 ?--products 256x256x256 --calls 1 --seconds 1",  # kernels of each shape
    "bench_gemv": "--size 256 --rounds 1", "bench_ladder": "--size 128 --rounds 1",
    "bench_overhead small": "--rounds 3",
    "bench_level3": "--n 256 --seconds 0.01", "bench_lapack": "--n 256 --seconds 0.01",  # each routine and type
    "bench_overhead grid": "--every 60 --largest 256 --seconds 0.05 --repeats 0",  # a process for each point
    "bench_checks integers": "?--times 128 --n 8 --depths 16 --products 1",  # the reference in quadruple precision
    "bench_checks cost": "--sizes 256 --rounds 1 --seconds 0.1",
    "bench_checks phases": "--size 128 ?--rows 64 --rounds 1",
    "compare.py": "--rounds 1 --programs solve:256:2,float64:256:3",  # programs
    "first_seconds.py": "--seconds 0.1 --processes 1 --case float32:256",
    "compare_pageable.py": "--sizes 256 --rounds 1 --calls 1 --precision s ?--tiles 128",
    "tuning_beside.py": "--kinds quiet:1 --budget 3 --size 256 --precision s --seconds 0.5",  # each kind tunes
}
# Words that stand for something, and sizes of arguments without a name.
PLACES = [(r"(build/release/lib/)?\blibduoblas_blas\.so\.0|\bLIBRARY\b", "{build}/lib/libduoblas_blas.so.0"),
          (r"\bbuild/release/bin\b|(?<=_beside\.py )FOLDER\b", "{build}/bin"), (r"\bBUILD\b", "{build}"),
          (r"(?<=--points )FILE\b", "bench/points/sgemm_small.txt"), (r"\bFILE\b", "figures.json"),
          (r"(?<=--precision )P\b", "s"), (r"(?<=--seed )S\b", "1"), (r"(?<=_linalg\.py )\d+( \S+) \d+", r"256\1 1"),
          (r"(?<=hpl_ranks\.sh )hpl (\S+) .*", r"hpcc \1 1x2:256:64:1"), (r"^duoblas tune\b.*", r"\g<0> --as-is"),
          (r"^network_calls\.py", r"\g<0> 1"), (r"(?<=ones\(\(3, )4096, 4096", "512, 512")]
LACKS = [(r"NVBLAS is not compared", "NVBLAS"), (r"no cuBLAS|no cublas", "cuBLAS"), (r"no clblast", "CLBlast"),
         (r"rule (device_ext|matrix_ins)", "a GPU's instructions"), (r"no sensor", "a sensor of energy"),
         (r"No module named 'numpy'", "NumPy"), (r"hpcc: command not found", "hpcc")]
FIGURE = re.compile(r"\d|^Page: |\n  \w")  # or a page that was written, or a list of tests
WRONG = re.compile(r"mpirun ended with|^  failed \(|WRONG|RESULTS DIFFER|of first\n$", re.MULTILINE)
BUILDING = "quickstart.sh", "build_hpl.sh"


def commands():
    """Page and line, settings, program and arguments of each."""
    for page in sorted((TREE / "docs/results").glob("*.md")):
        text = page.read_text(encoding="utf-8")
        for code in CODE.finditer(text):
            if found := COMMAND.match(" ".join(code[1].split())):
                yield f"{page.name}:{text.count(chr(10), 0, code.start()) + 1}", *found.groups()


def runnable(build, settings, program, arguments):
    """The words of the command as it is run here."""
    text = pathlib.Path(program).name + arguments
    for pattern, instead in PLACES:
        text = re.sub(pattern, instead, text)
    name, *words = shlex.split(text.replace("{build}", str(build)))
    keys = (" ".join([name, *words[:count]]) for count in (2, 1, 0))
    small = next((SMALL[key] for key in keys if key in SMALL), "").split()
    for option, value in zip(small[::2], small[1::2]):
        given = option.lstrip("?+")
        if given in words and not option.startswith("+"):
            words[words.index(given) + 1] = value
        elif given not in words and not option.startswith("?") and not (given == "--size" and "--sweep" in words):
            words += [given, value]
    if name.endswith("_test"):
        words.append("--gtest_list_tests")  # CTest runs them
    script = next(TREE.glob(f"bench/**/{name}"), "")
    runner = ["python3", str(script)] if name.endswith(".py") else ["bash", str(script)] if script else [name]
    no_standin = ["-u", "DUOBLAS_STANDIN"] if name == "check_statistics" else []  # it plays a device
    return ["env", *no_standin, *re.sub(r"-c \S+", "-c 0,1", settings).split(), *runner, *words]


def result_of(words, folder, environment):
    """What became of it; begins with "FAILED" where it should not."""
    begun = time.monotonic()
    try:
        done = subprocess.run(words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, check=False, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return f"FAILED: not done after {LIMIT} s"
    said = done.stdout + done.stderr
    lacking = ", ".join(what for pattern, what in LACKS if re.search(pattern, said))
    if done.returncode == 0 and FIGURE.search(done.stdout) and not WRONG.search(said):
        return f"ran ({time.monotonic() - begun:.1f} s)" + (f", without {lacking}" if lacking else "")
    last = (said.strip().splitlines() or ["it said nothing"])[-1]
    return f"needs {lacking}" if lacking else f"FAILED ({done.returncode}): {last}"


def main(build=None, chosen=""):
    """1 if one failed, else 0."""
    results = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "bench").symlink_to(TREE / "bench")
        environment = {**os.environ, "DUOBLAS_PROFILE_DIR": f"{name}/profiles", "DUOBLAS_CACHE_DIR": f"{name}/caches",
                       "PATH": f"{build}/bin:{build}/pip-numpy/bin:{os.environ['PATH']}", "DUOBLAS_STANDIN": "1",
                       "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        if build:  # some ask for a profile
            result_of(runnable(build, "", "duoblas", " tune"), folder, environment)
        for place, *command in commands():
            told = f"{place}: {''.join(command)}"
            if chosen not in told:
                continue
            print(told, flush=True)
            if build and command[1].endswith(BUILDING):
                print("    not run: it builds")
            elif build:
                results.append(result_of(runnable(build, *command), folder, environment))
                print(f"    {results[-1]}", flush=True)
    return int(any(result.startswith("FAILED") for result in results))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--run"] and len(sys.argv) in (3, 4):
        sys.exit(main(pathlib.Path(sys.argv[2]).resolve(), *sys.argv[3:]))
    sys.exit(__doc__ if sys.argv[1:] else main())

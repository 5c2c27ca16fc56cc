"""What a driver's start beside it costs a program that multiplies, by what the two have in common.

Usage: driver_start.py [--rounds 3] [--case float64:1024:160]. A thread, or a process of its own,
opens the first OpenCL GPU (platforms, context, a queue, 64 MiB of page-locked memory) while the
program multiplies. Prints the seconds that each step took, those that the program lost (what calls
took beyond the median of all), and the slowest call. Ways: the program's BLAS on every core or on
one less, threads that sleep after 2^22 cycles, results in the same memory, a start in a process of
its own, a start beside no calls."""
import argparse
import ctypes
import os
import statistics
import subprocess
import sys
import threading
import time


def check(code):
    if code:
        raise RuntimeError(f"OpenCL says {code}")


def open_device():
    """Seconds of: platforms and devices, a context, a queue, page-locked memory."""
    moments = [time.perf_counter()]
    opencl = ctypes.CDLL("libOpenCL.so.1")
    for name in ("clCreateContext", "clCreateCommandQueue", "clCreateBuffer", "clEnqueueMapBuffer"):
        getattr(opencl, name).restype = ctypes.c_void_p
    platform, device, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()
    check(opencl.clGetPlatformIDs(1, ctypes.byref(platform), None))
    check(opencl.clGetDeviceIDs(platform, ctypes.c_ulong(4), 1, ctypes.byref(device), None))
    moments.append(time.perf_counter())
    context = ctypes.c_void_p(opencl.clCreateContext(None, 1, ctypes.byref(device), None, None,
                                                     ctypes.byref(error)))
    check(error.value)
    moments.append(time.perf_counter())
    queue = ctypes.c_void_p(opencl.clCreateCommandQueue(context, device, ctypes.c_ulong(0),
                                                        ctypes.byref(error)))
    check(error.value)
    moments.append(time.perf_counter())
    size = ctypes.c_size_t(64 << 20)
    memory = ctypes.c_void_p(opencl.clCreateBuffer(context, ctypes.c_ulong(1 | 16), size, None,
                                                   ctypes.byref(error)))
    check(error.value)
    opencl.clEnqueueMapBuffer(queue, memory, 1, ctypes.c_ulong(2), ctypes.c_size_t(0), size, 0, None,
                              None, ctypes.byref(error))
    check(error.value)
    moments.append(time.perf_counter())
    return [after - before for before, after in zip(moments, moments[1:])]


def multiply(case, in_place, by_process, quiet):
    import numpy as np
    kind, n, count = case.split(":")
    a = np.random.default_rng(1).standard_normal((int(n), int(n))).astype(kind)
    c = np.zeros_like(a)
    steps, each = [], []

    def begin():
        if not by_process:
            return steps.extend(open_device())
        ran = subprocess.run([sys.executable, __file__, "--open"], check=True, capture_output=True,
                             text=True)
        return steps.extend(float(part) for part in ran.stdout.split())

    starter = threading.Thread(target=begin)
    for number in range(int(count)):
        if number == int(count) // 10:
            starter.start()
            if quiet:
                starter.join()
        begun = time.perf_counter()
        if in_place:
            np.matmul(a, a, out=c)
        else:
            a @ a
        each.append(time.perf_counter() - begun)
    starter.join()
    usual = statistics.median(each)
    print(*steps, usual, sum(took - usual for took in each), max(each))


WAYS = {
    "every core": {},
    "a core less": {"OPENBLAS_NUM_THREADS": str((os.cpu_count() or 2) - 1)},
    "threads that sleep": {"OPENBLAS_THREAD_TIMEOUT": "22"},
    "both": {"OPENBLAS_NUM_THREADS": str((os.cpu_count() or 2) - 1), "OPENBLAS_THREAD_TIMEOUT": "22"},
    "the same memory": {"IN_PLACE": "1"},
    "another process": {"BY_PROCESS": "1"},
    "beside no calls": {"QUIET": "1"},
}


def main():
    if sys.argv[1:] == ["--open"]:
        return print(*open_device())
    if sys.argv[1:2] == ["--child"]:
        return multiply(sys.argv[2], *(bool(os.environ.get(name))
                                       for name in ("IN_PLACE", "BY_PROCESS", "QUIET")))
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--case", default="float64:1024:160")
    given = arguments.parse_args()
    rows = {name: [] for name in WAYS}
    for _ in range(given.rounds):
        for name, variables in WAYS.items():
            ran = subprocess.run([sys.executable, __file__, "--child", given.case], check=True,
                                 env={**os.environ, **variables}, capture_output=True, text=True)
            rows[name].append([float(part) for part in ran.stdout.split()])
    print("seconds, medians: platforms, context, queue, page-locked; a call; lost; slowest call")
    for name, row in rows.items():
        print(f"  {name:20}", *(f"{statistics.median(column):8.4f}" for column in zip(*row)))
    return None


if __name__ == "__main__":
    main()

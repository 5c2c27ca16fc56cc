"""cublas<t>trsmBatched on matrices in the device's memory, beside bench_trsm_batches on the same shapes.

    cublas_trsm_batched.py [/path/libcublas.so.12]

Left, lower, not transposed; as many right-hand sides as the order; 64 MB of operands. Medians of 15 calls by the
device's own events. Needs torch for memory, streams and events."""
import ctypes
import statistics
import sys

import torch

LEFT, LOWER, NOT_TRANSPOSED, NON_UNIT = 0, 0, 0, 0
BYTES_OF_ALL, MOST_SOLVES, CALLS = 64e6, 100_000, 15


def milliseconds(call):
    begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return begin.elapsed_time(end)


def measure(cublas, handle, letter, n):
    number, scalar = {"s": (torch.float32, ctypes.c_float), "d": (torch.float64, ctypes.c_double)}[letter]
    size = torch.empty((), dtype=number).element_size()
    count = int(min(max(BYTES_OF_ALL / (2 * size * n * n), 2), MOST_SOLVES))
    # Solving over and over leaves the numbers as they are.
    a = torch.eye(n, dtype=number, device="cuda").repeat(count, 1, 1).contiguous()
    b = torch.ones(count, n, n, dtype=number, device="cuda")
    pointers = [torch.arange(count, device="cuda", dtype=torch.int64) * (n * n * size) + matrix.data_ptr()
                for matrix in (a, b)]
    one = scalar(1)

    def call():
        status = getattr(cublas, f"cublas{letter.upper()}trsmBatched")(
            handle, LEFT, LOWER, NOT_TRANSPOSED, NON_UNIT, n, n, ctypes.byref(one),
            ctypes.c_void_p(pointers[0].data_ptr()), n, ctypes.c_void_p(pointers[1].data_ptr()), n, count)
        if status != 0:
            sys.exit(f"cublas{letter.upper()}trsmBatched: status {status}")

    for _ in range(3):
        call()
    torch.cuda.synchronize()
    median = statistics.median(milliseconds(call) for _ in range(CALLS))
    print(f"{letter} order {n} x {count}: {median:.3f} ms, {1e3 * median / count:.3f} us a solve", flush=True)


def main():
    cublas = ctypes.CDLL(sys.argv[1] if len(sys.argv) > 1 else "libcublas.so.12")
    handle = ctypes.c_void_p()
    if cublas.cublasCreate_v2(ctypes.byref(handle)) != 0:
        sys.exit("cuBLAS finds no device")
    cublas.cublasSetStream_v2(handle, ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))
    for letter in "sd":
        for n in (8, 16, 32, 64, 128, 256):
            measure(cublas, handle, letter, n)


if __name__ == "__main__":
    main()

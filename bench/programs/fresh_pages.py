"""What the pages of new memory cost: the result of each NumPy call is such.

Usage: fresh_pages.py [MIB]      (256)
Prints the median of five times, in milliseconds: memory is mapped, and every page is written once, by
so many threads; then the same where the kernel was asked for all pages (MADV_POPULATE_WRITE, Linux
5.14) and with huge pages wanted (MADV_HUGEPAGE), as NumPy wants them of large arrays."""
import concurrent.futures
import ctypes
import mmap
import statistics
import sys
import time

HUGE, POPULATE_WRITE = 14, 23
LIBC = ctypes.CDLL(None, use_errno=True)


def parts(address, size, threads):
    step = -(-size // threads // mmap.PAGESIZE) * mmap.PAGESIZE
    return [(address + at, min(step, size - at)) for at in range(0, size, step)]


def populate(part):
    address, size = part
    return LIBC.madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), POPULATE_WRITE)


def write(part):
    address, size = part
    LIBC.memset(ctypes.c_void_p(address), 1, ctypes.c_size_t(size))
    return 0


def seconds(pool, size, threads, huge, touch):
    """Nothing: the kernel cannot."""
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    if huge:
        LIBC.madvise(ctypes.c_void_p(address), ctypes.c_size_t(size), HUGE)
    work = parts(address, size, threads)
    start = time.perf_counter()
    failed = any(list(pool.map(touch, work)))
    took = time.perf_counter() - start
    return None if failed else took


def main():
    mib = int(sys.argv[1]) if len(sys.argv) > 1 else 256
    for huge in (False, True):
        for touch in (write, populate):
            line = []
            for threads in (1, 4, 8, 12):
                with concurrent.futures.ThreadPoolExecutor(threads) as pool:
                    list(pool.map(time.sleep, [0.01] * threads))
                    times = [seconds(pool, mib << 20, threads, huge, touch) for _ in range(5)]
                line.append("not possible" if None in times
                            else f"{1e3 * statistics.median(times):.1f}")
            print(f"{mib} MiB, {'huge' if huge else 'small'} pages wanted, {touch.__name__} by "
                  f"1, 4, 8, 12 threads: {', '.join(line)} ms", flush=True)


if __name__ == "__main__":
    main()

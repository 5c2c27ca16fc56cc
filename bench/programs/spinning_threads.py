"""For how long the threads of NumPy's BLAS spin after a call: the processor time of the process, in
milliseconds, 20, 40, 60 ... after three calls. OPENBLAS_THREAD_TIMEOUT changes it."""
import resource
import time

import numpy as np


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main():
    a = np.random.default_rng(1).random((600, 600))
    for _ in range(3):
        a @ a
    for _ in range(3):
        time.sleep(1)
        a @ a
        begun, after = processor_seconds(), []
        for _ in range(12):
            time.sleep(0.02)
            after.append(round(1e3 * (processor_seconds() - begun)))
        print(*after)


if __name__ == "__main__":
    main()

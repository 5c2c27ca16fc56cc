"""DuoBLAS from Python: matrix products of NumPy and others on the CPU and the GPU at once.

    python -m duoblas script.py        the script, with the drop-in BLAS before its own

A program that runs so may look and choose:

    import duoblas
    duoblas.is_loaded()                whether the drop-in is in this process
    duoblas.last_call()                what became of this thread's last call, and why
    duoblas.summary()                  the table of DUOBLAS_SUMMARY=1 so far
    duoblas.set_strategy("hybrid")     auto, cpu, gpu or hybrid, from the next call on
    duoblas.set_check("always")        off, sampled or always
"""
from duoblas.library import Call, is_loaded, last_call, set_check, set_strategy, summary, version
from duoblas.threads import register

__all__ = ["Call", "is_loaded", "last_call", "set_check", "set_strategy", "summary", "version"]

register()

/* The number of threads that the program allows its own BLAS. */
#ifndef DUOBLAS_DROPIN_HOST_THREADS_H
#define DUOBLAS_DROPIN_HOST_THREADS_H

#include "dropin/shim/alias.h"

/* Searches the library that contains this definition, and the libraries that it needs, for
 * functions that get and set the number of threads: those of OpenBLAS (openblas_set_num_threads) or
 * of OpenMP. */
void find_host_threads(const void* definition, struct host_threads* found);

#endif

/* How many threads the program allows its own BLAS. */
#ifndef DUOBLAS_DROPIN_HOST_THREADS_H
#define DUOBLAS_DROPIN_HOST_THREADS_H

#include "dropin/shim/alias.h"

/* Finds, in the library that has this definition and in those that it needs, what says how many
 * threads it was last told to use, by openblas_set_num_threads or by OpenMP, and what tells it. */
void find_host_threads(const void* definition, struct host_threads* found);

#endif

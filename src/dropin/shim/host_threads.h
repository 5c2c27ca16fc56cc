/* How many threads the program allows its own BLAS. */
#ifndef DUOBLAS_DROPIN_HOST_THREADS_H
#define DUOBLAS_DROPIN_HOST_THREADS_H

#include "dropin/shim/alias.h"

/* Of the library that has this definition, or of those that it needs: what says how many threads it
 * was last told to use, by openblas_set_num_threads or by OpenMP. Null: it says nothing. */
get_number* host_threads_of(const void* definition);

#endif

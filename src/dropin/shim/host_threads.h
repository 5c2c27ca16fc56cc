/* The number of threads that the program allows its own BLAS, and a core of them that is reserved
 * for a device's driver during a call. */
#ifndef DUOBLAS_DROPIN_HOST_THREADS_H
#define DUOBLAS_DROPIN_HOST_THREADS_H

#include "dropin/shim/alias.h"

/* Searches the library that contains this definition, and the libraries that it needs, for
 * functions that get and set the number of threads: those of OpenBLAS (openblas_set_num_threads) or
 * of OpenMP. */
void find_host_threads(const void* definition, struct host_threads* found);

struct reserved_core {
  struct host_threads* of; /* null: none */
  int before;              /* threads, where each thread has a number of its own */
};

/* The number of threads that the program allows its BLAS, including a reserved core; 0: not known.
 * */
int threads_of_program(struct host_threads* threads);

/* Makes the BLAS use one thread less, until the same thread releases the core. If calls of other
 * threads reserve one already, it is the same core. A BLAS whose number of threads cannot be set
 * keeps all. */
struct reserved_core reserve_core(struct host_threads* threads);

/* If the program has set another number meanwhile, that stays. */
void release_core(const struct reserved_core* core);

#endif

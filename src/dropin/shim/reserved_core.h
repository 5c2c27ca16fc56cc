/* Reserves a core of the program's BLAS for a device's driver during a call. */
#ifndef DUOBLAS_DROPIN_RESERVED_CORE_H
#define DUOBLAS_DROPIN_RESERVED_CORE_H

#include "dropin/shim/alias.h"

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

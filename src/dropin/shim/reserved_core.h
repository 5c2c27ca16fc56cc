/* A core that the program's BLAS leaves to a device's driver for a call. */
#ifndef DUOBLAS_DROPIN_RESERVED_CORE_H
#define DUOBLAS_DROPIN_RESERVED_CORE_H

#include "dropin/shim/alias.h"

struct reserved_core {
  struct host_threads* of; /* null: none */
  int before;              /* threads, where each thread has a number of its own */
};

/* That the program allows its BLAS, a reserved core included; 0: not known. */
int threads_of_program(struct host_threads* threads);

/* The BLAS is told to use a thread less, until the same thread releases the core. Where other
 * threads' calls reserve one already it is the same core. What cannot be told keeps all. */
struct reserved_core reserve_core(struct host_threads* threads);

/* Where the program has set another number meanwhile, that stays. */
void release_core(const struct reserved_core* core);

#endif

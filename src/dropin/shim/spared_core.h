/* A core that the program's BLAS leaves to a device's driver for a call. */
#ifndef DUOBLAS_DROPIN_SPARED_CORE_H
#define DUOBLAS_DROPIN_SPARED_CORE_H

#include "dropin/shim/alias.h"

struct spared_core {
  struct host_threads* of; /* null: none */
  int before;              /* threads, where each thread has a number of its own */
};

/* That the program allows its BLAS, a core that is spared now included; 0: not known. */
int threads_of_program(struct host_threads* threads);

/* The BLAS is told to use a thread less, until the core is returned by the same thread. Where other
 * threads' calls spare one already it is the same core. What cannot be told keeps all. */
struct spared_core spare_core(struct host_threads* threads);

/* Where the program has set another number meanwhile, that stays. */
void return_core(const struct spared_core* core);

#endif

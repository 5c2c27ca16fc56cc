/* Calls that were passed on and are under way on this thread. Libraries call BLAS and LAPACK by
 * name: what a call of LAPACK calls is a part of it.
 *
 * A program may leave a call by longjmp or by a C++ exception: its xerbla does, or the handler of a
 * signal. Nobody hears of that. So the thread's next calls find out. */
#ifndef DUOBLAS_DROPIN_OUTER_CALL_H
#define DUOBLAS_DROPIN_OUTER_CALL_H

#include "dropin/shim/alias.h"

/* Where a call of ours comes from: an address in the code, and our function's frame in the stack.
 */
struct call_site {
  const void* caller;
  const void* frame;
};
#define CALL_SITE ((struct call_site){__builtin_return_address(0), __builtin_frame_address(0)})

struct outer_call {
  const void* frame;         /* null: there is none */
  const struct alias* alias; /* whose next symbol does it */
  int is_lapack, is_timed;   /* or a call that it is a part of */
};

/* The innermost call that the one from there is a part of. If those that this thread knows of were
 * left, it forgets them, and returns the core that they had reserved. */
const struct outer_call* outer_call(const struct call_site* site);

/* Between these a call is passed on; `before` is theirs. */
void begin_outer_call(struct outer_call* before, const struct outer_call* call);
void end_outer_call(const struct outer_call* before, const struct call_site* site);

/* Reserves a core of the alias's BLAS until the call from there ends, or release_core_of() is
 * called for it. 0: this thread has one already, or cannot have one. */
int reserve_core_for(struct alias* alias, const struct call_site* site);
void release_core_of(const struct call_site* site);

#endif

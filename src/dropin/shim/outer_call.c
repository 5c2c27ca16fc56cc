#include "dropin/shim/outer_call.h"

#include <stddef.h>
#include <stdint.h>

#include "dropin/shim/host_threads.h"
#include "dropin/shim/loaded_objects.h"

/* This thread's. They need the C library only. */
static _Thread_local struct outer_call innermost __attribute__((tls_model("initial-exec")));
static _Thread_local struct {
  struct reserved_core core;
  const void* frame; /* of the call that reserved it */
} reserved __attribute__((tls_model("initial-exec")));

static int lies_in_next_of(const struct alias* alias, const void* address) {
  const uintptr_t first = (uintptr_t)atomic_load(&alias->threads.library);
  return (uintptr_t)address - first < (uintptr_t)atomic_load(&alias->threads.end) - first;
}

/* The stack grows down: who is not below has not been called by it. But a program that left it may
 * be below by now. Parts are called by the library itself, or by one with the same routine, to
 * which it forwards calls. */
static int is_part(const struct outer_call* outer, const struct call_site* site) {
  return (uintptr_t)site->frame < (uintptr_t)outer->frame &&
         (lies_in_next_of(outer->alias, site->caller) ||
          has_definition(site->caller, outer->alias->symbol));
}

static void release(void) {
  const struct reserved_core core = reserved.core;
  reserved.core.of = NULL;
  release_core(&core);
}

const struct outer_call* outer_call(const struct call_site* site) {
  if (innermost.frame != NULL && !is_part(&innermost, site)) {
    innermost = (struct outer_call){NULL, NULL, 0, 0};
    release();
  }
  return &innermost;
}

void begin_outer_call(struct outer_call* before, const struct outer_call* call) {
  *before = innermost;
  innermost = *call;
}

void end_outer_call(const struct outer_call* before, const struct call_site* site) {
  innermost = *before;
  release_core_of(site);
}

int reserve_core_for(struct alias* alias, const struct call_site* site) {
  if (reserved.core.of != NULL) return 0;
  reserved.core = reserve_core(&alias->threads);
  reserved.frame = site->frame;
  return reserved.core.of != NULL;
}

/* And of those below, which were left. */
void release_core_of(const struct call_site* site) {
  if ((uintptr_t)reserved.frame <= (uintptr_t)site->frame) release();
}

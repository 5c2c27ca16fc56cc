#include "dropin/shim/leads_back.h"

#include <stddef.h>
#include <stdint.h>

#include "dropin/shim/blas_integers.h"
#include "dropin/shim/small_calls.h"

/* Libraries call each other by name: a question about one name may be the first call of another.
 * LAPACK's take three. What needs more goes in circles. */
enum { MOST_QUESTIONS = 6, LARGEST_ORDER = 2 };

/* This thread's, the last one last. They are told from other calls by their matrix, which is on the
 * stack. Kept by values: a signal's handler may leave a question by siglongjmp. */
static _Thread_local struct {
  struct {
    const struct alias* alias;
    const void* matrix;
    enum way_back way_back;
  } questions[MOST_QUESTIONS];
  int count;
} asked __attribute__((tls_model("initial-exec"))); /* needs the C library only */

int is_question(const struct alias* alias, const void* matrix, const void* frame) {
  /* The stack grows down. Whoever is above a question has left it. */
  while (asked.count > 0 && (uintptr_t)frame >= (uintptr_t)asked.questions[asked.count - 1].matrix)
    --asked.count;
  int own = -1, of_matrix = -1;
  for (int i = 0; i < asked.count; ++i) {
    if (asked.questions[i].alias == alias) own = i;
    if (asked.questions[i].matrix == matrix) of_matrix = i;
  }
  if (own < 0) return 0;
  /* It went round by another name, or its operands were copied on the way. */
  asked.questions[of_matrix >= 0 ? of_matrix : own].way_back = TO_ITS_NAME;
  return of_matrix >= 0;
}

int ends_question(const void* matrix) {
  for (int i = 0; i < asked.count; ++i)
    if (asked.questions[i].matrix == matrix) {
      asked.questions[i].way_back = TO_ANOTHER_NAME;
      return 1;
    }
  return 0;
}

int is_part_of_question(const struct duoblas_blas_call* call) {
  return asked.count > 0 && call->m <= LARGEST_ORDER && call->n <= LARGEST_ORDER &&
         call->k <= LARGEST_ORDER;
}

static void begin_question(const struct alias* alias, const void* matrix) {
  asked.questions[asked.count].alias = alias;
  asked.questions[asked.count].matrix = matrix;
  asked.questions[asked.count++].way_back = NO_WAY_BACK;
}

enum way_back leads_back(const struct alias* alias, blas_routine* definition, int* integer_bits) {
  const int own = asked.count;
  if (own == MOST_QUESTIONS) return TO_ANOTHER_NAME;
  /* Elsewhere no integers are right in both widths. */
  const int is_fortran = alias->convention == FORTRAN_32 || alias->convention == FORTRAN_64;
  if (is_fortran ? !starts_with_low_bits() : sizeof(long) < sizeof(int64_t)) return NO_WAY_BACK;
  if (is_lapack(alias->routine)) {
    struct question question = new_question(alias->routine, precision_of(alias));
    begin_question(alias, &question.matrix);
    ask(definition, alias->routine, &question);
    *integer_bits = shown_bits(alias, &question);
  } else {
    double zeros[4] = {0};
    begin_question(alias, zeros);
    multiply_zeros(alias, definition, zeros);
  }
  asked.count = own;
  return asked.questions[own].way_back;
}

/* Whether a definition that was found for a name of ours leads back to it. So does that of a
 * library which forwards calls to this one (libblastrampoline, FlexiBLAS), and whatever calls such
 * a one: to pass calls on to it would never end. Each is asked by one small call before it becomes
 * the next symbol. */
#ifndef DUOBLAS_DROPIN_LEADS_BACK_H
#define DUOBLAS_DROPIN_LEADS_BACK_H

#include "dropin/shim/alias.h"

/* TO_ANOTHER_NAME: one for which no next symbol is loaded. */
enum way_back { NO_WAY_BACK, TO_ANOTHER_NAME, TO_ITS_NAME };

/* `integer_bits`: what a routine of LAPACK shows of its integers by the way, as shown_bits() has
 * it. An answer for sure only where alias->next is still null thereafter: until then the alias's
 * calls come to is_question(). */
enum way_back leads_back(const struct alias* alias, blas_routine* definition, int* integer_bits);

/* For calls that arrive here: whether it is a question that came back, with this matrix. Then
 * nothing is to be done. `frame`: in the stack of the call. */
int is_question(const struct alias* alias, const void* matrix, const void* frame);

/* For those of an alias that has no next symbol among what is loaded: whether it is a question
 * about another name, which ends here. Then nothing is to be done either. */
int ends_question(const void* matrix);

/* Whether a call is so small that it is none of the program's while this thread asks something. */
int is_part_of_question(const struct duoblas_blas_call* call);

#endif

/* Who would have been called if the drop-in were not there. */
#ifndef DUOBLAS_DROPIN_NEXT_SYMBOL_H
#define DUOBLAS_DROPIN_NEXT_SYMBOL_H

#include "dropin/shim/alias.h"

/* Finds the definition after ours of the alias's symbol, else of another name of its convention,
 * and keeps it in the alias: in the order of the program's libraries, in the caller's object and
 * its dependencies, in any loaded object. Null: there is none. */
blas_routine* loaded_symbol(struct alias* alias, const void* caller);

/* The same of a BLAS that can be loaded. */
blas_routine* loadable_symbol(struct alias* alias);

/* The definition of any symbol, the executable's first; null: none. */
blas_routine* visible_symbol(const char* symbol, const void* caller);

#endif

/* The definition that would be called without the drop-in. */
#ifndef DUOBLAS_DROPIN_NEXT_SYMBOL_H
#define DUOBLAS_DROPIN_NEXT_SYMBOL_H

#include "dropin/shim/alias.h"

/* Finds the definition after ours of the alias's symbol, or of another name of its convention, and
 * stores it in the alias. Searches the program's libraries in order, then the caller's object and
 * its dependencies, then every loaded object. Null: there is none. */
blas_routine* loaded_symbol(struct alias* alias, const void* caller);

/* The same in a BLAS that can be loaded. */
blas_routine* loadable_symbol(struct alias* alias);

/* The definition of any symbol, that of the executable first; null: none. */
blas_routine* visible_symbol(const char* symbol, const void* caller);

#endif

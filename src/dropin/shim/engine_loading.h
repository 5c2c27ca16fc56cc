/* Loads libduoblas: at the first call that is worth it, or as a program begins that gains by it. */
#ifndef DUOBLAS_DROPIN_ENGINE_LOADING_H
#define DUOBLAS_DROPIN_ENGINE_LOADING_H

#include "problem/blas_call.h"

/* Null if it cannot be loaded. It is tried once. */
const struct duoblas_dropin_engine* loaded_engine(void);
/* Null if it is not loaded. */
const struct duoblas_dropin_engine* engine_if_loaded(void);

#endif

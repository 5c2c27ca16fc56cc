/* A fork waits while this library has the dynamic loader load something: the loader would be left
 * in the middle of it in the child, and end the child at its next load. */
#ifndef DUOBLAS_DROPIN_LOADER_GATE_H
#define DUOBLAS_DROPIN_LOADER_GATE_H

void begin_loading(void);
void end_loading(void);

#endif

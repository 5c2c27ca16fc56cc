/* A fork waits while this library has the dynamic loader load something: the loader would be left
 * in the middle of it in the child, and end the child at its next load.
 *
 * Loads do not wait for each other: a thread may come here out of a constructor that the loader
 * runs, and has the loader's lock then, for which another thread's load may be waiting. */
#ifndef DUOBLAS_DROPIN_LOADER_GATE_H
#define DUOBLAS_DROPIN_LOADER_GATE_H

void begin_loading(void);
void end_loading(void);

#endif

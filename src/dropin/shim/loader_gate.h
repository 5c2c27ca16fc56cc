/* A fork waits while this library makes the dynamic loader load something. Otherwise the child
 * would get the loader's state from the middle of it, and end at its next load. Loads do not wait
 * for each other: a thread may come here from a constructor that the loader runs. It holds the
 * loader's lock then, and another thread's load may be waiting for that. */
#ifndef DUOBLAS_DROPIN_LOADER_GATE_H
#define DUOBLAS_DROPIN_LOADER_GATE_H

void begin_loading(void);
void end_loading(void);

#endif

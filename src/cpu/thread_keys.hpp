// Thread-specific keys of private libraries.
#pragma once

#include <pthread.h>

namespace duoblas {

/// As pthread_key_create and pthread_key_delete of the host. What is created here is deleted if the
/// library of its destructor is unloaded.
int create_thread_key(pthread_key_t* key, void (*destructor)(void*));
int delete_thread_key(pthread_key_t key);

/// Called after a library was unloaded.
void delete_keys_of_unloaded_libraries();

/// Whether the process has as many keys left as a BLAS and its libraries may need. Some of these
/// end the program where they get none.
bool thread_keys_are_left();
inline constexpr const char* no_thread_keys_left =
    "the program uses all thread-specific keys (PTHREAD_KEYS_MAX)";

}  // namespace duoblas

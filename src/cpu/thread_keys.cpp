#include "cpu/thread_keys.hpp"

#include <dlfcn.h>

#include <atomic>
#include <climits>

namespace duoblas {
namespace {

// By key: null if it has no destructor or is not a private library's. No lock: libraries create
// keys while the loader's lock is held, and dladdr() takes that.
constinit std::atomic<void (*)(void*)> destructors[PTHREAD_KEYS_MAX] = {};

}  // namespace

int create_thread_key(pthread_key_t* key, void (*destructor)(void*)) {
  const int error = ::pthread_key_create(key, destructor);
  if (error == 0) destructors[*key].store(destructor);
  return error;
}

int delete_thread_key(pthread_key_t key) {
  // First, since another library may get the key as soon as it is deleted.
  if (key < PTHREAD_KEYS_MAX) destructors[key].store(nullptr);
  return ::pthread_key_delete(key);
}

void delete_keys_of_unloaded_libraries() {
  for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; ++key) {
    void (*destructor)(void*) = destructors[key].load();
    Dl_info info;
    if (destructor == nullptr || dladdr(reinterpret_cast<void*>(destructor), &info) != 0) continue;
    if (destructors[key].compare_exchange_strong(destructor, nullptr)) ::pthread_key_delete(key);
  }
}

bool thread_keys_are_left() {
  // libgomp needs one. What else a library needs is not known before it is loaded; none was seen
  // with more than two.
  constexpr int enough = 8;
  pthread_key_t keys[enough];
  int left = 0;
  while (left < enough && ::pthread_key_create(&keys[left], nullptr) == 0) ++left;
  for (int i = 0; i < left; ++i) ::pthread_key_delete(keys[i]);
  return left == enough;
}

}  // namespace duoblas

#include "os/host_functions.hpp"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <threads.h>

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <new>

// Weak, since musl has neither; it has no link namespaces either. The second runs the destructors
// of C++'s thread_local objects; libstdc++ calls it.
extern "C" __attribute__((weak)) void* pvalloc(std::size_t bytes) noexcept;
extern "C" __attribute__((weak)) int __cxa_thread_atexit_impl(void (*destructor)(void*),
                                                              void* object, void* library);

namespace duoblas {
namespace {

struct ThisThread {
  ThreadPreparation current;
  unsigned prepared_for = 0;
};
constinit thread_local ThisThread this_thread;

struct Start {
  void* (*routine)(void*);
  void* argument;
  ThreadPreparation preparation;
};

void* start_prepared(void* argument) {
  const Start start = *static_cast<const Start*>(argument);
  delete static_cast<const Start*>(argument);
  start.preparation.apply();
  return start.routine(start.argument);
}

int create_prepared_thread(pthread_t* thread, const pthread_attr_t* attributes,
                           void* (*routine)(void*), void* argument) {
  const auto* start = new (std::nothrow) Start{routine, argument, this_thread.current};
  if (start == nullptr) return EAGAIN;
  const int error = ::pthread_create(thread, attributes, start_prepared, const_cast<Start*>(start));
  if (error != 0) delete start;
  return error;
}

// By key: null if it has no destructor or is not a private library's. No lock: libraries create
// keys while the loader's lock is held, and dladdr() takes that.
constinit std::atomic<void (*)(void*)> destructors[PTHREAD_KEYS_MAX] = {};

// As pthread_key_create and pthread_key_delete of the host.
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

// Libraries register them while they are loaded, one or two each.
constinit std::atomic<void (*)()> before_fork[64] = {};

// As pthread_atfork of the host has it, which calls this. OpenBLAS ends its threads before a fork,
// and has nothing to do after it. Others may take locks before it, which nobody would release.
int note_fork_handlers(void (*prepare)(), void (*parent)(), void (*child)(), void* /*library*/) {
  if (parent != nullptr || child != nullptr) return 0;
  for (auto& place : before_fork) {
    void (*none)() = nullptr;
    if (prepare == nullptr || place.compare_exchange_strong(none, prepare)) return 0;
  }
  return ENOMEM;
}

template <typename F>
Redirection needed(const char* name, F* function) {
  return {name, reinterpret_cast<void*>(function), true};
}

template <typename F>
Redirection if_there(const char* name, F* function) {
  return {name, reinterpret_cast<void*>(function), false};
}

}  // namespace

void ThreadPreparation::apply() const noexcept {
  ThisThread& thread = this_thread;
  thread.current = *this;
  if ((thread.prepared_for & bit) != 0) return;
  if (init_ctype != nullptr) init_ctype();
  thread.prepared_for |= bit;
}

std::span<const Redirection> host_functions() {
  static const Redirection functions[] = {
      needed("malloc", std::malloc),
      needed("calloc", std::calloc),
      needed("realloc", std::realloc),
      needed("free", std::free),
      needed("aligned_alloc", ::aligned_alloc),
      needed("memalign", ::memalign),
      needed("posix_memalign", ::posix_memalign),
      needed("malloc_usable_size", ::malloc_usable_size),
      if_there("valloc", ::valloc),
      if_there("pvalloc", ::pvalloc),
      needed("pthread_key_create", create_thread_key),
      needed("pthread_key_delete", delete_thread_key),
      needed("pthread_getspecific", ::pthread_getspecific),
      needed("pthread_setspecific", ::pthread_setspecific),
      if_there("__pthread_key_create", create_thread_key),
      if_there("__pthread_getspecific", ::pthread_getspecific),
      if_there("__pthread_setspecific", ::pthread_setspecific),
      if_there("tss_create", create_thread_key),
      if_there("tss_delete", delete_thread_key),
      if_there("tss_get", ::tss_get),
      if_there("tss_set", ::tss_set),
      needed("__cxa_thread_atexit_impl", __cxa_thread_atexit_impl),
      // The host's malloc takes no lock as long as the host's C library knows of no second thread.
      needed("pthread_create", create_prepared_thread),
      if_there("thrd_create", ::thrd_create),
      if_there("__register_atfork", note_fork_handlers),
  };
  return functions;
}

void (*before_fork_of(void* handle))() {
  link_map* map = nullptr;
  Dl_info library;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || dladdr(map->l_ld, &library) == 0)
    return nullptr;
  for (auto& place : before_fork) {
    void (*const prepare)() = place.load();
    Dl_info object;
    if (prepare != nullptr && dladdr(reinterpret_cast<void*>(prepare), &object) != 0 &&
        object.dli_fbase == library.dli_fbase)
      return prepare;
  }
  return nullptr;
}

void forget_unloaded_libraries() {
  Dl_info info;
  for (auto& place : before_fork) {
    void (*const prepare)() = place.load();
    if (prepare != nullptr && dladdr(reinterpret_cast<void*>(prepare), &info) == 0)
      place.store(nullptr);
  }
  for (pthread_key_t key = 0; key < PTHREAD_KEYS_MAX; ++key) {
    void (*destructor)(void*) = destructors[key].load();
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

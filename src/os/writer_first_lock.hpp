// A lock that many share, and that one who wants it alone need not wait for without end.
#pragma once

#include <pthread.h>

namespace duoblas {

/// Whoever wants it alone comes before those who begin to share it.
class WriterFirstLock {
 public:
  void lock_shared() { pthread_rwlock_rdlock(&lock_); }
  void lock() { pthread_rwlock_wrlock(&lock_); }
  /// Of either kind.
  void unlock() { pthread_rwlock_unlock(&lock_); }

 private:
#if defined(PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP)
  pthread_rwlock_t lock_ = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#else
  pthread_rwlock_t lock_ = PTHREAD_RWLOCK_INITIALIZER;  // there are no private copies
#endif
};

}  // namespace duoblas

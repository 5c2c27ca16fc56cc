// Defers pthread_cancel: a cancelled thread would unwind through functions that must not throw.
#pragma once

#include <pthread.h>

namespace duoblas {

/// pthread_cancel of this thread takes effect after this scope, at the thread's next cancellation
/// point. Scopes nest.
class CancellationDisabled {
 public:
  CancellationDisabled() noexcept { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~CancellationDisabled() { pthread_setcancelstate(before_, nullptr); }
  CancellationDisabled(const CancellationDisabled&) = delete;
  CancellationDisabled& operator=(const CancellationDisabled&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace duoblas

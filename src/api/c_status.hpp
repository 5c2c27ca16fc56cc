// The one place where exceptions become the C interface's status codes.
#pragma once

#include <utility>

#include <duoblas/duoblas.h>

#include "os/cancellation_disabled.hpp"

namespace duoblas {

/// `status`, with `what` as this thread's duoblas_last_error().
duoblas_status c_failure(duoblas_status status, const char* what) noexcept;

/// The status of the exception that is being handled.
duoblas_status c_failure_of_current_exception() noexcept;

template <typename Body>
inline duoblas_status guarded(Body&& body) noexcept {
  const CancellationDisabled whole_call;
  try {
    std::forward<Body>(body)();
    return DUOBLAS_OK;
  } catch (...) {
    return c_failure_of_current_exception();
  }
}

}  // namespace duoblas

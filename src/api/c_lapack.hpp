// The status of LAPACK's C functions for matrices that have no factors or solutions.
#pragma once

#include <cstdint>
#include <cstdio>

#include <duoblas/duoblas.h>

#include "api/c_status.hpp"

namespace duoblas {

/// `words`: the error's text, with a place for the number.
template <typename Solve>
duoblas_status with_info(std::int64_t* info, const char* words, Solve&& solve) noexcept {
  std::int64_t at = 0;
  const duoblas_status status = guarded([&] { at = solve(); });
  if (status != DUOBLAS_OK) return status;
  if (info != nullptr) *info = at;
  if (at == 0) return DUOBLAS_OK;
  char text[160];
  std::snprintf(text, sizeof text, words, static_cast<long long>(at));
  return c_failure(DUOBLAS_SINGULAR, text);
}

}  // namespace duoblas

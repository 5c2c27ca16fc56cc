// What became of a program's BLAS calls: counted for a table at its end (DUOBLAS_SUMMARY).
#pragma once

#include <optional>

#include "problem/level3_call.h"

namespace duoblas {

/// A call that was not left to the program's own BLAS.
struct DoneCall {
  bool used_gpu = false;
  double flops = 0;
  double seconds = 0;
  /// Against the CPU alone, by the cost model's estimate of that; nothing where it has none.
  std::optional<double> seconds_won = std::nullopt;
};

/// The first call that is noted makes this process print the table on standard error when it exits.
/// A child that is forked after that prints nothing. Thread-safe.
void note_done(const duoblas_level3_call& call, const DoneCall& done) noexcept;
void note_passed_on(const duoblas_level3_call& call) noexcept;

}  // namespace duoblas

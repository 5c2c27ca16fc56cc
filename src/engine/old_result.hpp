// Old values of C that the caller of a product can bring back, so that the device's side need not
// save them before it writes to C in place.
#pragma once

#include "problem/gemm_problem.hpp"

namespace duoblas {

class OldResult {
 public:
  virtual ~OldResult() = default;
  /// Gives C of this part of the product the values that it had before the product, whatever it
  /// holds now. The device has ended. Takes no memory. \throws CpuBlasError.
  virtual void restore(const GemmProblem& part) = 0;
};

}  // namespace duoblas

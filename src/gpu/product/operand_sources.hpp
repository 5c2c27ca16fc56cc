// Where a product's operands come from, other than through the upload ring.
#pragma once

#include "gpu/device/resident_matrix.hpp"
#include "memory/arrival_check.hpp"

namespace duoblas {

struct OperandSources {
  /// The device reads and writes operands in registered memory directly.
  bool registered_directly = false;
  ResidentOperands resident;
  BoundInputs in_place;              ///< those without a buffer are copied
  ArrivalCheck* arrivals = nullptr;  ///< checks a result with beta != 0; null: no check
};

}  // namespace duoblas

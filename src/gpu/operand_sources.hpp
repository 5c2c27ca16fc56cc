// Where a product's operands come from, if not through the ring of uploads.
#pragma once

#include "gpu/resident_matrix.hpp"
#include "memory/arrival_check.hpp"

namespace duoblas {

struct OperandSources {
  /// What lies in registered memory is fetched from there, and written there, by the device.
  bool registered_directly = false;
  ResidentOperands resident;
  BoundInputs in_place;              ///< those without a buffer are copied
  ArrivalCheck* arrivals = nullptr;  ///< who looks at a result with beta != 0; null: nobody
};

}  // namespace duoblas

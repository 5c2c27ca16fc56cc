// Why the device declines a job that it could do with other numbers in the matrix.
#pragma once

#include <duoblas/error.hpp>

namespace duoblas {

/// The numbers are unsuited: a pivot has no inverse, or a triangle's condition number is too large.
/// Says nothing about the device, nor about the next job.
class UnsuitedNumbers : public DeviceError {
 public:
  explicit UnsuitedNumbers(const char* what) : DeviceError(what) {}
};

}  // namespace duoblas

// A failure for which the numbers of a call are the reason, and not the device.
#pragma once

#include <duoblas/error.hpp>

namespace duoblas {

/// Why the device declines a job that it could do with other numbers in the matrix: they are
/// unsuited: a pivot has no inverse, a triangle's condition number is too large, or a product by
/// integers is not certified. Says nothing about the device, nor about the next job.
class UnsuitedNumbers : public DeviceError {
 public:
  explicit UnsuitedNumbers(const char* what) : DeviceError(what) {}
};

}  // namespace duoblas

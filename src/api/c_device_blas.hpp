// Converts the arguments of opencl.h's C functions to ours.
#pragma once

#include <duoblas/opencl.h>

#include <duoblas/error.hpp>
#include <duoblas/opencl.hpp>

struct duoblas_device_blas {
  duoblas::DeviceBlas blas;
};

namespace duoblas {

inline DeviceMatrix matrix_of(const duoblas_device_matrix& given) {
  return {given.buffer, given.offset, given.ld};
}

/// \throws DeviceError if it is null.
inline DeviceBlas& given(duoblas_device_blas* blas) {
  if (blas == nullptr) throw DeviceError("the duoblas_device_blas is a null pointer");
  return blas->blas;
}

/// \param given may be null. \throws ArgumentError at this position.
inline DeviceEvents events_of(const duoblas_device_events* given, int position) {
  DeviceEvents events;
  if (given == nullptr) return events;
  if (given->count > 0 && given->after == nullptr)
    throw ArgumentError(position, "events", "counts events, but names none");
  events.after.assign(given->after, given->after + given->count);
  events.done = given->done;
  return events;
}

}  // namespace duoblas

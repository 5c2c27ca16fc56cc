// What an OpenCL error means for the next call. Pure, so that everybody draws the same conclusion.
#pragma once

#include <cstdint>

namespace duoblas::cl {

enum class StatusClass : std::uint8_t {
  declined,          ///< 0: DuoBLAS itself declined the work
  passing_shortage,  ///< memory or another resource is short: the next call may find it again
  too_large,         ///< this call's operands are too large; smaller ones are not
  launch_refused,    ///< the device never launches this kernel with these work-groups
  build_failed,      ///< the driver does not compile this program
  device_lost,       ///< nothing that was enqueued can be relied on, nor a later call
};

/// An unknown error counts as a lost device: the CPU's result is always right.
StatusClass status_class(int code);

/// Whether this error means a lost device if it is repeated. Drivers report CL_OUT_OF_RESOURCES for
/// a shortage, and at every wait after a context was lost (NVIDIA).
bool means_lost_if_repeated(int code);

/// Whether this error says that there is not the memory for a buffer, when it is made or first
/// used.
bool says_memory_is_short(int code);

/// Whether a context that failed so was one of a device that another process holds for itself, as
/// in NVIDIA's exclusive mode (CL_INVALID_DEVICE: openmm#62, pyopencl#223).
bool says_device_is_held(int code);

/// Whether a build that failed with this error may succeed another time.
bool may_build_later(int code);

}  // namespace duoblas::cl

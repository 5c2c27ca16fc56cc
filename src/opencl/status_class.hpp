// What an OpenCL error says of the next call: pure, so that everybody draws the same conclusion.
#pragma once

#include <cstdint>

namespace duoblas::cl {

enum class StatusClass : std::uint8_t {
  declined,          ///< 0: DuoBLAS itself declined the work
  passing_shortage,  ///< memory or another resource is short: the next call may find it again
  too_large,         ///< this call's operands are; smaller ones are not
  launch_refused,    ///< the device never launches this kernel with these work-groups
  build_failed,      ///< the driver does not compile this program
  device_lost,       ///< nothing that was enqueued can be relied on, nor a later call
};

/// An error that no row knows is a lost device's: the CPU is always right.
StatusClass status_class(int code);

/// Whether repetition makes it a lost device's. Drivers say CL_OUT_OF_RESOURCES of a shortage, and
/// of every wait after a context was lost (NVIDIA).
bool means_lost_if_repeated(int code);

/// Whether a build that failed so may succeed another time.
bool may_build_later(int code);

}  // namespace duoblas::cl

// Tuning of gemv: the kernel that reads A fastest, per element type and op.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "profile/tuned_gemv.hpp"

namespace duoblas {

struct GemvTuneRequest {
  std::vector<Precision> precisions = {Precision::s, Precision::d};
  std::vector<bool> transposes = {false, true};  ///< of the row-major op(A)
  /// A is size x size; 0: 128 MiB, or what the device has memory for.
  std::int64_t size = 0;
  double budget_seconds = 60;  ///< for all; the time is shared evenly
  unsigned seed = 1;
  std::string helper_program = "/proc/self/exe";
  double kernel_time_out_seconds = 30;
};

/// What came of one type and op.
struct GemvFinding {
  Precision precision = Precision::s;
  bool transposes = false;
  std::int64_t size = 0;
  TunedGemv best;     ///< the built-in one, unless another was clearly faster
  TunedGemv builtin;  ///< rate 0: it cannot be used here
  int timed = 0;      ///< kernels
};

/// Told of a kernel that is not used, and why.
using GemvRejection = std::function<void(const std::string& kernel, const std::string& why)>;

/// Each kernel is tried in a child process before it runs here, where it is timed with A in the
/// device's memory. The fastest and the built-in one run in turns at the end, and the result is
/// verified. Types that the device has not are left out. Calls that use the device wait. \throws
/// DeviceError where there is no device, no kernel can be used or the device is lost; Error where
/// no child can be started.
std::vector<GemvFinding> tune_gemv(Engine& engine, const GemvTuneRequest& request,
                                   const GemvRejection& rejected);

}  // namespace duoblas

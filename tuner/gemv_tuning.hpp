// Tuning of gemv: finds the kernel that is fastest on operands in the device's memory, per element
// type and form.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "profile/tuned_gemv.hpp"
#include "tuner/journal.hpp"
#include "tuner/rate_curve.hpp"

namespace duoblas {

struct GemvTuneRequest {
  std::vector<Precision> precisions = {Precision::s, Precision::d};
  /// Whether the row-major op(A) transposes.
  std::vector<bool> transposes = {false, true};
  /// Matrices are size x size. 0: 128 MiB, or as much as the device has
  /// memory for.
  std::int64_t size = 0;
  double budget_seconds = 60;  ///< for all; the time is shared evenly
  /// Parameters whose curves are measured around the tuned kernel. Types and forms that have a
  /// kernel already are not tuned again for that, unless `afresh`.
  std::vector<std::string> curves;
  bool afresh = false;
  unsigned seed = 1;
  std::string helper_program = "/proc/self/exe";
  double kernel_time_out_seconds = 30;
};

/// The result of one type and form.
struct GemvFinding {
  Precision precision = Precision::s;
  bool transposes = false;
  std::int64_t size = 0;
  std::string kernel;  ///< the built-in one, unless another was clearly faster
  std::string builtin;
  double rate = 0;          ///< bytes a second of the kernel
  double builtin_rate = 0;  ///< 0: it cannot be used here
  int timed = 0;            ///< kernels; 0: it was tuned before
  /// The curves that were requested, as measured; otherwise those that the search has.
  std::vector<FieldCurve> curves;
};

/// Gets each kernel that is not used, and why.
using GemvRejection = std::function<void(const std::string& kernel, const std::string& why)>;

/// Each kernel is tried in a child process before it runs here, where it is timed. The fastest and
/// the built-in one run in turns at the end, and the result is verified. Results are put into
/// `tuned`. Kernels with times in `journal` are not timed again, so an interrupted tuning goes on.
/// Types that the device does not have are skipped. Calls that use the device wait. \throws
/// DeviceError if there is no device, no kernel can be used or the device is lost; Error if no
/// child can be started; SettingError if a curve is for a parameter
/// that means nothing to any kernel here.
std::vector<GemvFinding> tune_gemv(Engine& engine, const GemvTuneRequest& request, Journal& journal,
                                   const GemvRejection& rejected, TunedGemvs& tuned);

}  // namespace duoblas

// Tuning of routines that memory bounds (gemv, ger, axpy, omatcopy): the kernel that is fastest on
// operands in the device's memory, per element type and form.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "profile/tuned_kernels.hpp"
#include "tuner/journal.hpp"
#include "tuner/rate_curve.hpp"

namespace duoblas {

struct StreamTuneRequest {
  std::string routine = "gemv";  ///< one of stream_routine_names()
  std::vector<Precision> precisions = {Precision::s, Precision::d};
  /// Whether the row-major op(A) transposes, where the routine has a kernel for each.
  std::vector<bool> transposes = {false, true};
  /// Matrices are size x size, axpy's vectors as long; 0: 128 MiB, or what the device has memory
  /// for.
  std::int64_t size = 0;
  double budget_seconds = 60;  ///< for all; the time is shared evenly
  /// Parameters whose curves are measured around what is tuned; types and forms that have a kernel
  /// already are not tuned again for that, unless `afresh`.
  std::vector<std::string> curves;
  bool afresh = false;
  unsigned seed = 1;
  std::string helper_program = "/proc/self/exe";
  double kernel_time_out_seconds = 30;
};

const std::vector<std::string>& stream_routine_names();

/// What came of one type and form.
struct StreamFinding {
  std::string routine;
  Precision precision = Precision::s;
  bool transposes = false;
  std::int64_t size = 0;
  std::string kernel;  ///< the built-in one, unless another was clearly faster
  std::string builtin;
  double rate = 0;          ///< bytes a second of the kernel
  double builtin_rate = 0;  ///< 0: it cannot be used here
  int timed = 0;            ///< kernels; 0: it was tuned before
  /// What the search varied around the kernel; where curves were asked for, those, as measured.
  std::vector<FieldCurve> curves;
};

/// "dgemv t", "saxpy".
std::string name_of(const StreamFinding& finding);

/// Told of a kernel that is not used, and why.
using StreamRejection = std::function<void(const std::string& kernel, const std::string& why)>;

/// Each kernel is tried in a child process before it runs here, where it is timed. The fastest and
/// the built-in one run in turns at the end, and the result is verified. What is found is put into
/// `tuned`. Kernels that `journal` has times of are not timed again; a tuning that was interrupted
/// goes on so. Types that the device has not are left out. Calls that use the device wait. \throws
/// DeviceError where there is no device, no kernel can be used or the device is lost; Error where
/// no child can be started; SettingError where the routine is none, or a curve is of no parameter
/// that means something to a kernel here.
std::vector<StreamFinding> tune_streams(Engine& engine, const StreamTuneRequest& request,
                                        Journal& journal, const StreamRejection& rejected,
                                        TunedStreams& tuned);

}  // namespace duoblas

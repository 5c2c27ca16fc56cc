// The kernels of gemm that a device has refused, or that computed something wrong. Products look
// for another one then (GpuSide::launchable).
#pragma once

#include <array>
#include <cstddef>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "kernel_space/kernel_params.hpp"
#include "opencl/status_class.hpp"
#include "problem/precision.hpp"
#include "timing/steady_seconds.hpp"

namespace duoblas {

/// Whether what failed to be built with this error may be built another time. 0: the program breaks
/// a rule of ours.
inline bool may_pass(int code) {
  return code != 0 &&
         (cl::may_build_later(code) || cl::status_class(code) == cl::StatusClass::build_failed);
}

/// The failures of one program that the driver did not build, and when it is built again. A disk
/// may have been full, memory short, or a signal may have ended the compiler: drivers report all of
/// these like an error in the source.
struct FailedBuilds {
  int shortages = 0, others = 0;
  double until = 0;  ///< it is not built again before that; infinite: never

  bool is_over(double now) const { return now >= until; }

  /// One more. What failed for short memory, or with an error that says nothing of the program, is
  /// built again at once, but not for ever: some compilers say so of a kernel that is too large for
  /// them. After that, and after all other failures, longer and longer pauses follow, so that a
  /// process waits for few builds that fail.
  void add(int code, double now) {
    constexpr int at_once = 2;
    constexpr std::array<double, 2> pauses{10, 100};  // a choice
    if (cl::may_build_later(code) && shortages < at_once) {
      ++shortages;
      until = now;
      return;
    }
    const auto pause = static_cast<std::size_t>(others);
    until = pause < pauses.size() ? now + pauses[pause] : std::numeric_limits<double>::infinity();
    if (pause < pauses.size()) ++others;
  }
};

/// Thread-safe. Compiled-in sizes make no other kernel.
class KernelRefusals {
 public:
  static constexpr double for_ever = std::numeric_limits<double>::infinity();

  explicit KernelRefusals(SteadySeconds clock) : clock_(clock) {}

  void note(const KernelParams& kernel, Precision precision, const std::string& why, double until);
  /// For ever. False: it already was.
  bool refuse(const KernelParams& kernel, Precision precision, const std::string& why);
  /// Why this kernel is refused now; empty if it is not.
  std::string why(const KernelParams& kernel, Precision precision) const;

 private:
  struct Refusal {
    KernelParams kernel;
    Precision precision;
    std::string why;
    double until = for_ever;
  };
  // \pre the mutex is held.
  const Refusal* find(const KernelParams& kernel, Precision precision) const;

  const SteadySeconds clock_;
  mutable std::mutex mutex_;
  std::vector<Refusal> refusals_;
};

}  // namespace duoblas

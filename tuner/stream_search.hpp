// The search for a kernel of a memory-bound routine, along one axis after another.
#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "kernel_space/stream_kernels.hpp"

namespace duoblas {

template <typename Kernel>
struct TimedKernel {
  Kernel kernel;
  double seconds = 0;
};

/// Seconds of a call; nothing if the kernel cannot be used.
template <typename Kernel>
using KernelTimer = std::function<std::optional<double>(const Kernel&)>;

template <typename Kernels>
class StreamClimb {
 public:
  using Kernel = typename Kernels::Kernel;

  StreamClimb(const DeviceLimits& device, Precision precision, bool transposes,
              const KernelTimer<Kernel>& timer, const std::function<bool()>& has_time)
      : device_(device),
        precision_(precision),
        transposes_(transposes),
        timer_(timer),
        has_time_(has_time) {}

  std::vector<TimedKernel<Kernel>> run(const Kernel& first) {
    best_ = first;
    least_ = time(first);
    for (bool better = true; better;) {
      better = false;
      for (const auto& [name, axis] : Kernels::axes(device_, transposes_))
        for (const bool up : {true, false})
          while (step(axis, up)) better = true;
    }
    std::erase_if(seen_, [](const TimedKernel<Kernel>& t) { return t.seconds == never; });
    std::ranges::stable_sort(seen_, {}, &TimedKernel<Kernel>::seconds);
    return seen_;
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  // A smaller gain is noise.
  static constexpr double gain = 0.99;

  // Steps by a factor of two, and to and from off if the axis has that.
  static int stepped(int Kernel::*axis, int value, bool up) {
    for (const auto& [name, member] : Kernels::switches())
      if (axis == member) return up ? std::max(1, value * 2) : value / 2;
    return up ? value * 2 : std::max(1, value / 2);
  }

  // Tries one step from the best so far. Returns whether it is the best now.
  bool step(int Kernel::*axis, bool up) {
    Kernel kernel = best_;
    kernel.*axis = stepped(axis, kernel.*axis, up);
    if (kernel == best_) return false;
    const auto same = [&](const TimedKernel<Kernel>& t) { return t.kernel == kernel; };
    if (std::ranges::any_of(seen_, same) || !has_time_() ||
        !Kernels::is_legal(kernel, device_, precision_, transposes_))
      return false;
    const double seconds = time(kernel);
    if (!(seconds < gain * least_)) return false;
    best_ = kernel;
    least_ = seconds;
    return true;
  }

  double time(const Kernel& kernel) {
    seen_.push_back({kernel, timer_(kernel).value_or(never)});
    return seen_.back().seconds;
  }

  const DeviceLimits& device_;
  const Precision precision_;
  const bool transposes_;
  const KernelTimer<Kernel>& timer_;
  const std::function<bool()>& has_time_;
  Kernel best_;
  double least_ = never;
  std::vector<TimedKernel<Kernel>> seen_;
};

/// Starts from `first`, which is timed even without time. Then each axis by steps of two, switches
/// also on and off, as long as calls get faster; again and again until no step of any axis helps,
/// or `has_time` ends. Each kernel is timed once. Returns all timed kernels, the fastest first.
/// Pure except for its arguments.
template <typename Kernels>
std::vector<TimedKernel<typename Kernels::Kernel>> search_stream_kernels(
    const typename Kernels::Kernel& first, const DeviceLimits& device, Precision precision,
    bool transposes, const KernelTimer<typename Kernels::Kernel>& timer,
    const std::function<bool()>& has_time) {
  return StreamClimb<Kernels>(device, precision, transposes, timer, has_time).run(first);
}

}  // namespace duoblas

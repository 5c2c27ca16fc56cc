#include "tuner/gemv_search.hpp"

#include <algorithm>
#include <limits>

namespace duoblas {
namespace {

class GemvClimb {
 public:
  GemvClimb(const DeviceLimits& device, Precision precision, bool transposes,
            const GemvTimer& timer, const std::function<bool()>& has_time)
      : device_(device),
        precision_(precision),
        transposes_(transposes),
        timer_(timer),
        has_time_(has_time) {}

  std::vector<TimedGemv> run(const GemvKernel& first) {
    best_ = first;
    least_ = time(first);
    for (bool better = true; better;) {
      better = false;
      for (const auto& [name, axis] : gemv_axes(device_, transposes_))
        for (const bool up : {true, false})
          while (step(axis, up)) better = true;
    }
    std::erase_if(seen_, [](const TimedGemv& t) { return t.seconds == never; });
    std::ranges::stable_sort(seen_, {}, &TimedGemv::seconds);
    return seen_;
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  // A smaller gain is noise.
  static constexpr double gain = 0.99;

  // Steps by a factor of two, and to and from off if the axis has that.
  static int stepped(int GemvKernel::*axis, int value, bool up) {
    for (const auto& [name, member] : gemv_switches())
      if (axis == member) return up ? std::max(1, value * 2) : value / 2;
    return up ? value * 2 : std::max(1, value / 2);
  }

  // Tries one step from the best so far. Returns whether it is the best now.
  bool step(int GemvKernel::*axis, bool up) {
    GemvKernel kernel = best_;
    kernel.*axis = stepped(axis, kernel.*axis, up);
    if (kernel == best_) return false;
    const auto same = [&](const TimedGemv& t) { return t.kernel == kernel; };
    if (std::ranges::any_of(seen_, same) || !has_time_() ||
        !is_legal(kernel, device_, precision_, transposes_))
      return false;
    const double seconds = time(kernel);
    if (!(seconds < gain * least_)) return false;
    best_ = kernel;
    least_ = seconds;
    return true;
  }

  double time(const GemvKernel& kernel) {
    seen_.push_back({kernel, timer_(kernel).value_or(never)});
    return seen_.back().seconds;
  }

  const DeviceLimits& device_;
  const Precision precision_;
  const bool transposes_;
  const GemvTimer& timer_;
  const std::function<bool()>& has_time_;
  GemvKernel best_;
  double least_ = never;
  std::vector<TimedGemv> seen_;
};

}  // namespace

std::vector<TimedGemv> search_gemv_kernels(const GemvKernel& first, const DeviceLimits& device,
                                           Precision precision, bool transposes,
                                           const GemvTimer& timer,
                                           const std::function<bool()>& has_time) {
  return GemvClimb(device, precision, transposes, timer, has_time).run(first);
}

}  // namespace duoblas

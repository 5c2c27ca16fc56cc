#include "tuner/gemv_search.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>

namespace duoblas {
namespace {

using Axis = int GemvKernel::*;

std::vector<Axis> axes_of(const DeviceLimits& device, bool transposes) {
  std::vector<Axis> axes = {&GemvKernel::lines, &GemvKernel::unroll};
  if (!device.is_cpu) {
    axes.push_back(&GemvKernel::across);
    if (transposes) axes.push_back(&GemvKernel::teams);
  }
  axes.push_back(&GemvKernel::vector_width);
  axes.push_back(&GemvKernel::inline_sizes);
  if (!device.is_cpu) axes.push_back(&GemvKernel::image);
  return axes;
}

// By a factor of two, or on and off.
int stepped(Axis axis, int value, bool up) {
  if (axis == &GemvKernel::inline_sizes || axis == &GemvKernel::image) return up ? 1 : 0;
  return up ? value * 2 : std::max(1, value / 2);
}

class Climb {
 public:
  Climb(const DeviceLimits& device, Precision precision, bool transposes, const GemvTimer& timer,
        const std::function<bool()>& has_time)
      : device_(device),
        precision_(precision),
        transposes_(transposes),
        timer_(timer),
        has_time_(has_time) {}

  std::vector<TimedGemvKernel> run(const GemvKernel& first) {
    best_ = first;
    least_ = time(first);
    for (bool better = true; better;) {
      better = false;
      for (const Axis axis : axes_of(device_, transposes_))
        for (const bool up : {true, false})
          while (step(axis, up)) better = true;
    }
    std::erase_if(seen_, [](const TimedGemvKernel& t) { return t.seconds == never; });
    std::ranges::stable_sort(seen_, {}, &TimedGemvKernel::seconds);
    return seen_;
  }

 private:
  static constexpr double never = std::numeric_limits<double>::infinity();
  // Less than this is noise.
  static constexpr double gain = 0.99;

  // One step from the best so far; whether that is the best now.
  bool step(Axis axis, bool up) {
    GemvKernel kernel = best_;
    kernel.*axis = stepped(axis, kernel.*axis, up);
    if (kernel == best_) return false;
    const auto same = [&](const TimedGemvKernel& t) { return t.kernel == kernel; };
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
  std::vector<TimedGemvKernel> seen_;
};

}  // namespace

std::vector<TimedGemvKernel> search_gemv_kernels(const GemvKernel& first,
                                                 const DeviceLimits& device, Precision precision,
                                                 bool transposes, const GemvTimer& timer,
                                                 const std::function<bool()>& has_time) {
  return Climb(device, precision, transposes, timer, has_time).run(first);
}

}  // namespace duoblas

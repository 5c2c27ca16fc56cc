#include "engine/share_follower.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

// Where a plan's rounding gives a side nothing at all, its odds have no logarithm.
constexpr double least_share = 1.0 / 2048;

double log_odds(double share) {
  const double within = std::clamp(share, least_share, 1 - least_share);
  return std::log(within / (1 - within));
}

double share_of(double log_of_odds) {
  return 1 / (1 + std::exp(-log_of_odds));
}

std::int64_t extent_of(const GemmProblem& problem, Axis axis) {
  return axis == Axis::rows ? problem.m : problem.n;
}

std::int64_t tile_of(const Plan& plan) {
  return std::max<std::int64_t>(
      1, plan.axis == Axis::rows ? row_tile(plan.kernel) : col_tile(plan.kernel));
}

bool is_followed(const GemmProblem& problem, const Plan& plan) {
  return plan.strategy == Strategy::hybrid && extent_of(problem, plan.axis) > tile_of(plan);
}

// One number per class; never 0.
std::uint64_t shape_class_of(const GemmProblem& problem, const Plan& plan) {
  const auto power = [](std::int64_t size) {
    return static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(size)));
  };
  std::uint64_t number = static_cast<unsigned char>(problem.precision);
  const auto append = [&number](std::uint64_t value, int bits) { number = number << bits | value; };
  append(static_cast<std::uint64_t>(problem.op_a), 2);
  append(static_cast<std::uint64_t>(problem.op_b), 2);
  append(plan.axis == Axis::rows ? 0 : 1, 1);
  append(plan.kernel.matrix == MatrixUnit::tf32x3 ? 1 : 0, 1);
  append(power(problem.m), 7);
  append(power(problem.n), 7);
  append(power(problem.k), 7);
  return number;
}

}  // namespace

ShareFollower::Slot* ShareFollower::set_of(std::uint64_t shape_class) {
  // Fibonacci hashing (Knuth, TAOCP 6.4): the upper bits of the product are well mixed.
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  constexpr int shift = 64 - std::countr_zero(sets);
  return &slots_[static_cast<std::size_t>(shape_class * golden >> shift) * ways];
}

ShareFollower::Slot* ShareFollower::find(std::uint64_t shape_class) {
  Slot* const first = set_of(shape_class);
  Slot* const end = first + ways;
  Slot* const slot = std::find_if(
      first, end, [&](const Slot& candidate) { return candidate.shape_class == shape_class; });
  if (slot == end) return nullptr;
  slot->last_use = ++uses_;
  return slot;
}

ShareFollower::Slot& ShareFollower::find_or_take(std::uint64_t shape_class) {
  if (Slot* slot = find(shape_class)) return *slot;
  Slot* const first = set_of(shape_class);
  Slot* const oldest = std::min_element(
      first, first + ways, [](const Slot& x, const Slot& y) { return x.last_use < y.last_use; });
  *oldest = Slot{};
  oldest->shape_class = shape_class;
  oldest->last_use = ++uses_;
  return *oldest;
}

Plan ShareFollower::follow(const GemmProblem& problem, const Plan& planned) {
  if (!is_followed(problem, planned)) return planned;
  double correction = 0;
  {
    const std::lock_guard guard(mutex_);
    const Slot* slot = find(shape_class_of(problem, planned));
    if (slot != nullptr && !slot->left_alone) correction = slot->tracker.correction();
  }
  if (correction == 0) return planned;

  Plan plan = planned;
  constexpr int parts = 1024;
  const double share = share_of(log_odds(planned.share.fraction()) + correction);
  plan.share = {std::clamp(static_cast<int>(std::lround(share * parts)), 1, parts - 1), parts};
  const std::int64_t extent = extent_of(problem, planned.axis);
  const std::int64_t tile = tile_of(planned);
  const std::int64_t most = (extent - 1) / tile * tile;
  plan.gpu_extent = std::clamp(gpu_extent(extent, plan.share, tile), tile, most);
  plan.reason = Reason::share_follows_times;
  return plan;
}

void ShareFollower::observe(const GemmProblem& problem, const Plan& planned,
                            std::int64_t gpu_extent, const Overlap& overlap) {
  const std::int64_t extent = extent_of(problem, planned.axis);
  if (!is_followed(problem, planned) || gpu_extent <= 0 || gpu_extent >= extent) return;
  // In these odds and times, the ratio of the speeds is that of what was done to how long it took.
  const double odds = static_cast<double>(gpu_extent) / static_cast<double>(extent - gpu_extent);
  const double speeds = odds * overlap.cpu / overlap.gpu;
  const bool usable = overlap.cpu > 0 && overlap.gpu > 0 && std::isfinite(speeds) && speeds > 0;
  if (!usable) return;
  const RatioSample sample{std::log(speeds) - log_odds(planned.share.fraction()),
                           overlap.gpu_at_most};
  const std::lock_guard guard(mutex_);
  find_or_take(shape_class_of(problem, planned)).tracker.add(sample);
}

void ShareFollower::leave_alone(const GemmProblem& problem, const Plan& planned) {
  if (!is_followed(problem, planned)) return;
  const std::lock_guard guard(mutex_);
  find_or_take(shape_class_of(problem, planned)).left_alone = true;
}

void ShareFollower::forget() {
  const std::lock_guard guard(mutex_);
  slots_.fill({});
}

}  // namespace duoblas

#include "gpu/device/launch_bound.hpp"

#include <algorithm>

#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {
namespace {

// The bandwidth of the slowest memory that a present GPU shares with its host.
constexpr double least_bytes_per_second = 1e10;
// A phone's GPU with a plain kernel; some emulate doubles.
constexpr double guessed_single = 4e9, guessed_double = 5e8;
// A program may use many kernels; the oldest is forgotten.
constexpr std::size_t most_kernels = 32;

std::int64_t whole(double extent, std::int64_t unit, std::int64_t most) {
  if (extent >= static_cast<double>(most)) return most;
  return std::min(most, std::max<std::int64_t>(static_cast<std::int64_t>(extent) / unit, 1) * unit);
}

std::int64_t tiles(std::int64_t extent, std::int64_t unit) {
  return (extent + unit - 1) / unit;
}

}  // namespace

double default_launch_seconds(const cl::DeviceInfo& device) {
  constexpr double short_launch = 0.1;
  if (device.is_cpu) return 0;
  const bool is_nvidia = device.nvidia_capability > 0;
  const bool may_display = !is_nvidia || device.has_watchdog || device.unified_memory;
  return may_display ? short_launch : 0;
}

// Ten launches of other programs are no reason to give up a GPU. Polling takes a core from a CPU
// device: sgemm of 256 on PoCL took 11 to 27 % longer than with the driver's own wait.
double default_deadline(const cl::DeviceInfo& device) {
  return device.is_cpu ? 0 : 30;
}

double launch_seconds(const GemmProblem& p, const LaunchShape& part, double rate) {
  GemmProblem product = p;
  product.m = part.rows;
  product.n = part.columns;
  const auto rows = static_cast<double>(part.rows), columns = static_cast<double>(part.columns);
  const double numbers = 2 * rows * columns + (rows + columns) * static_cast<double>(p.k);
  const double bytes = numbers * static_cast<double>(element_size(p.precision));
  return std::max(flops(product) / rate, bytes / least_bytes_per_second);
}

LaunchShape launch_shape(const GemmProblem& p, const LaunchUnits& units, double rate,
                         double seconds) {
  const auto of = [&](std::int64_t rows, std::int64_t columns) {
    return launch_seconds(p, {rows, columns}, rate);
  };
  // The time is nearly linear in either extent: it is shortened until it fits.
  const auto shorten = [&](std::int64_t& extent, std::int64_t unit, const auto& seconds_of) {
    while (extent > unit) {
      const double ratio = seconds / seconds_of();
      if (ratio >= 1) return;
      const auto shorter = whole(static_cast<double>(extent) * ratio, unit, extent);
      extent = shorter < extent ? shorter : whole(static_cast<double>(extent - unit), unit, extent);
    }
  };
  LaunchShape shape{p.m, p.n};
  shorten(shape.rows, units.rows, [&] { return of(shape.rows, shape.columns); });
  shorten(shape.columns, units.columns, [&] { return of(shape.rows, shape.columns); });
  // Fewer columns may leave time for more rows.
  if (shape.columns < p.n) {
    shape.rows = p.m;
    shorten(shape.rows, units.rows, [&] { return of(shape.rows, shape.columns); });
  }
  const std::int64_t down = tiles(shape.rows, units.rows);
  if (down * tiles(shape.columns, units.columns) < units.tiles_at_once)
    shape.columns = std::min(p.n, tiles(units.tiles_at_once, down) * units.columns);
  const std::int64_t across = tiles(shape.columns, units.columns);
  if (down * across < units.tiles_at_once)
    shape.rows = std::min(p.m, tiles(units.tiles_at_once, across) * units.rows);
  return shape;
}

void LaunchPace::expect(Precision precision, double rate) {
  const std::lock_guard guard(mutex_);
  expected_[precision_index(precision)] = rate;
}

LaunchPace::Kind LaunchPace::kind_of(const KernelParams& kernel, Precision precision) {
  return {precision, kernel.family, kernel.matrix, row_tile(kernel), col_tile(kernel)};
}

std::optional<double> LaunchPace::rate(const KernelParams& kernel, Precision precision) const {
  const std::lock_guard guard(mutex_);
  const auto seen = std::ranges::find(seen_, kind_of(kernel, precision), &Seen::kind);
  if (seen != seen_.end()) return seen->rate;
  const double expected = expected_[precision_index(precision)];
  return expected > 0 ? std::optional(expected) : std::nullopt;
}

double LaunchPace::rate_or_guess(const KernelParams& kernel, Precision precision) const {
  return rate(kernel, precision).value_or(is_double(precision) ? guessed_double : guessed_single);
}

void LaunchPace::saw_product(const KernelParams& kernel, const GemmProblem& product, double seconds,
                             bool exactly) {
  if (!(seconds > 0)) return;
  constexpr double telling = 0.0125;  // an eighth of a bounded launch, as where rates are tried
  const double computing = flops(product) / rate_or_guess(kernel, product.precision);
  const double whole =
      launch_seconds(product, {product.m, product.n}, rate_or_guess(kernel, product.precision));
  saw(kernel, product.precision, flops(product) / seconds,
      exactly && seconds >= telling && whole <= computing);
}

void LaunchPace::saw(const KernelParams& kernel, Precision precision, double rate, bool exactly) {
  if (!(rate > 0)) return;
  const std::optional<double> before = this->rate(kernel, precision);
  if (!exactly && before && rate <= *before) return;
  const std::lock_guard guard(mutex_);
  const Kind kind = kind_of(kernel, precision);
  const auto seen = std::ranges::find(seen_, kind, &Seen::kind);
  if (seen != seen_.end()) {
    // One disturbed call counts half.
    seen->rate = rate > seen->rate ? rate : (seen->rate + rate) / 2;
    return;
  }
  if (seen_.size() == most_kernels) seen_.erase(seen_.begin());
  seen_.push_back({kind, rate});
}

}  // namespace duoblas

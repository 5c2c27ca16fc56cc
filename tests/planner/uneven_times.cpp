#include "planner/uneven_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace duoblas::test {
namespace {

// splitmix64 (Steele, Lea, Flood, OOPSLA 2014).
std::uint64_t mixed(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

class Draws {
 public:
  explicit Draws(std::uint64_t key) : state_(key) {}
  double unit() {
    state_ = mixed(state_);
    return (static_cast<double>(state_ >> 11) + 0.5) * 0x1p-53;
  }
  // Box and Muller, 1958.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(unit()));
    return radius * std::cos(2 * std::numbers::pi * unit());
  }

 private:
  std::uint64_t state_;
};

// Of variance 1, with squared-exponential covariance: random Fourier features (A. Rahimi, B. Recht,
// NIPS 2007). It changes where a size is e times as large.
double smooth(std::uint64_t key, const std::array<double, 3>& at) {
  constexpr int waves = 16;
  constexpr double length = 1;
  Draws draws(key);
  double sum = 0;
  for (int wave = 0; wave < waves; ++wave) {
    double phase = 2 * std::numbers::pi * draws.unit();
    for (const double x : at) phase += draws.normal() / length * x;
    sum += std::cos(phase);
  }
  return sum * std::sqrt(2.0 / waves);
}

}  // namespace

double UnevenTimes::factor(Timed what, const GemmProblem& of, const WorkSizes& part) const {
  const bool is_gpu = what == Timed::gpu_alone || what == Timed::gpu_side;
  const double smoothly = is_gpu ? smooth_gpu : smooth_cpu,
               roughly = is_gpu ? rough_gpu : rough_cpu;
  if (smoothly == 0 && roughly == 0) return 1;
  const auto log_of = [](std::int64_t extent) {
    return std::log(static_cast<double>(std::max<std::int64_t>(extent, 1)));
  };
  const std::array<double, 3> at{log_of(of.m), log_of(of.n), log_of(of.k)};
  const std::uint64_t side = mixed(seed * 2 + (is_gpu ? 1 : 0));
  const std::uint64_t time = mixed(side + 1 + place_of(what));
  const std::uint64_t kind = 16 * static_cast<std::uint64_t>(of.precision) +
                             4 * static_cast<std::uint64_t>(of.op_a) +
                             static_cast<std::uint64_t>(of.op_b);
  // The squares of the weights add to 1.
  double log_factor = smoothly * (0.7 * smooth(side, at) + 0.4 * smooth(time, at) +
                                  0.5 * smooth(mixed(side + 100 + kind), at) +
                                  0.32 * smooth(mixed(time + 100 + kind), at));
  std::uint64_t product = kind;
  for (const std::int64_t extent : {of.m, of.n, of.k})
    product = mixed(product + static_cast<std::uint64_t>(extent));
  log_factor +=
      roughly * (0.8 * Draws(side ^ product).normal() + 0.6 * Draws(time ^ product).normal());
  Draws of_parts(time ^ mixed(product));
  const double rows = std::log(std::max(part.m, 1.0)) - at[0];
  const double columns = std::log(std::max(part.n, 1.0)) - at[1];
  log_factor += (is_gpu ? steep_gpu : steep_cpu) * of_parts.normal() * (rows + columns);
  if (columns < -0.001) log_factor += of_columns * of_parts.normal();
  const double size = std::log(flops(of) / 2e7) / std::log(1e10 / 2e7);
  return std::exp((1 - 0.8 * std::clamp(size, 0.0, 1.0)) * log_factor);
}

}  // namespace duoblas::test

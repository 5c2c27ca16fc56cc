#include "planner/time_model.hpp"

#include <algorithm>
#include <limits>

namespace duoblas {
namespace {

constexpr std::size_t multiply_adds = 1;

// Timings are good to a percent, an expected coefficient to a factor of a few: (0.01 / 3)^2.
constexpr double trust_in_expected = 1e-5;

// Squares of relative errors, as a quadratic form of the coefficients, in units of the expected
// ones.
struct Normal {
  std::array<std::array<double, TimeModel::terms>, TimeModel::terms> matrix{};
  TimeModel::Terms right{};
};

Normal normal_equations(std::span<const TimedWork> timings, const TimeModel::Terms& units) {
  Normal normal;
  for (const TimedWork& timing : timings) {
    if (timing.seconds <= 0) continue;
    TimeModel::Terms row = TimeModel::terms_of(timing.sizes);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] *= units[i] / timing.seconds;
    for (std::size_t i = 0; i < row.size(); ++i) {
      normal.right[i] += row[i];
      for (std::size_t j = 0; j < row.size(); ++j) normal.matrix[i][j] += row[i] * row[j];
    }
  }
  for (std::size_t i = 0; i < TimeModel::terms; ++i) {
    normal.matrix[i][i] += trust_in_expected;
    normal.right[i] += trust_in_expected;
  }
  return normal;
}

// The x with matrix x = right over the coefficients in `subset`, the others 0. By elimination
// without pivots, which a positive definite matrix does not need.
TimeModel::Terms solved(Normal normal, unsigned subset) {
  const auto inside = [&](std::size_t i) { return (subset >> i & 1u) != 0; };
  for (std::size_t i = 0; i < TimeModel::terms; ++i)
    for (std::size_t row = i + 1; inside(i) && row < TimeModel::terms; ++row) {
      const double factor = normal.matrix[row][i] / normal.matrix[i][i];
      for (std::size_t j = i; j < TimeModel::terms; ++j)
        normal.matrix[row][j] -= factor * normal.matrix[i][j];
      normal.right[row] -= factor * normal.right[i];
    }
  TimeModel::Terms x{};
  for (std::size_t i = TimeModel::terms; i-- > 0;) {
    if (!inside(i)) continue;
    double rest = normal.right[i];
    for (std::size_t j = i + 1; j < TimeModel::terms; ++j) rest -= normal.matrix[i][j] * x[j];
    x[i] = rest / normal.matrix[i][i];
  }
  return x;
}

// The minimum of the form with no coefficient below 0. It equals the unbounded minimum over its own
// non-zero coefficients, and there are few subsets of those.
TimeModel::Terms least_non_negative(const Normal& normal) {
  TimeModel::Terms best{};
  double most = 0;
  for (unsigned subset = 1; subset < 1u << TimeModel::terms; ++subset) {
    const TimeModel::Terms x = solved(normal, subset);
    double gained = 0;
    bool legal = true;
    for (std::size_t i = 0; i < x.size(); ++i) {
      gained += normal.right[i] * x[i];
      legal = legal && x[i] >= 0;
    }
    if (legal && gained > most) {
      most = gained;
      best = x;
    }
  }
  return best;
}

}  // namespace

TimeModel TimeModel::of_type(const TypeRatio& ratio) const {
  const double work = ratio.multiply_adds, bytes = ratio.bytes;
  const Terms of_type{1, work, bytes, bytes, bytes, work, bytes};
  TimeModel scaled = *this;
  for (std::size_t i = 0; i < terms; ++i) scaled.coefficients[i] *= of_type[i];
  return scaled;
}

TimeModel fitted_time_model(std::span<const TimedWork> timings, const TimeModel::Terms& expected) {
  TimeModel time_model;
  TimeModel::Terms units = expected;
  double least = std::numeric_limits<double>::infinity();
  for (const TimedWork& timing : timings)
    if (timing.seconds > 0)
      least = std::min(least, timing.seconds / TimeModel::terms_of(timing.sizes)[multiply_adds]);
  time_model.known = least < std::numeric_limits<double>::infinity();
  if (!time_model.known) return time_model;
  // The fastest rate that was seen is the first guess of the rate.
  units[multiply_adds] = least;
  time_model.coefficients = least_non_negative(normal_equations(timings, units));
  for (std::size_t i = 0; i < TimeModel::terms; ++i) time_model.coefficients[i] *= units[i];
  return time_model;
}

}  // namespace duoblas

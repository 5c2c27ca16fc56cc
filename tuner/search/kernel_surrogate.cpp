#include "tuner/search/kernel_surrogate.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "kernel_space/kernel_fields.hpp"

namespace duoblas {
namespace {

constexpr double noise = 0.02;
// The expected spread has the weight of this many kernels.
constexpr double kernels_expected = 3;
constexpr double fade_per_step = 0.35;
// The last kernel of the list is expected to be slower than the first by this part.
constexpr double list_slope = 0.1;
// Costs are cut off here: very slow kernels say little about fast ones.
constexpr double most_above_best = 0.7;

using Matrix = std::vector<std::vector<double>>;

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

// Lower triangle L of a = L L'.
Matrix cholesky(Matrix a) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[i][j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[i][k] * a[j][k];
      a[i][j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / a[j][j];
    }
  }
  return a;
}

std::vector<double> solve_lower(const Matrix& lower, std::vector<double> b) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= lower[i][k] * b[k];
    b[i] /= lower[i][i];
  }
  return b;
}

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace

KernelSurrogate::KernelSurrogate(const std::vector<KernelParams>& kernels)
    : places_(kernels.size()) {
  int most_steps = 0;
  for (const KernelField& field : kernel_fields()) {
    std::vector<int> places;
    for (const KernelParams& kernel : kernels)
      places.push_back(static_cast<int>(std::ranges::lower_bound(field.values, field.get(kernel)) -
                                        field.values.begin()));
    // A field with the same value in all kernels says nothing.
    if (std::ranges::adjacent_find(places, std::ranges::not_equal_to{}) == places.end()) continue;
    for (std::size_t i = 0; i < places.size(); ++i) places_[i].push_back(places[i]);
    most_steps += static_cast<int>(field.values.size());
  }
  for (int steps = 0; steps <= most_steps; ++steps)
    fade_.push_back(std::exp(-fade_per_step * steps));
}

double KernelSurrogate::likeness(int x, int y) const {
  const std::vector<int>& a = places_[at(x)];
  const std::vector<int>& b = places_[at(y)];
  if (a.empty()) return 1;
  int steps = 0;
  double sum = 0;
  for (std::size_t f = 0; f < a.size(); ++f) {
    steps += std::abs(a[f] - b[f]);
    sum += fade_[at(std::abs(a[f] - b[f]))];
  }
  return 0.5 * fade_[at(steps)] + 0.5 * sum / static_cast<double>(a.size());
}

std::vector<KernelSurrogate::Prediction> KernelSurrogate::predict(
    const std::map<int, double>& costs, double spread) const {
  const auto count = static_cast<double>(places_.size());
  const auto expected = [&](int kernel) { return list_slope * kernel / count; };
  double least = costs.begin()->second;
  for (const auto& [kernel, cost] : costs) least = std::min(least, cost);

  std::vector<int> known;
  std::vector<double> values;
  double mean = 0;
  for (const auto& [kernel, cost] : costs) {
    known.push_back(kernel);
    values.push_back(std::min(std::log(cost), std::log(least) + most_above_best) -
                     expected(kernel));
    mean += values.back() / static_cast<double>(costs.size());
  }
  double variance = kernels_expected * spread * spread;
  for (double& value : values) {
    value -= mean;
    variance += value * value;
  }
  variance /= kernels_expected + static_cast<double>(values.size());

  Matrix a(known.size(), std::vector<double>(known.size()));
  for (std::size_t i = 0; i < known.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      a[i][j] = variance * likeness(known[i], known[j]) + (i == j ? noise * noise : 0);
  const Matrix lower = cholesky(std::move(a));
  const std::vector<double> whitened = solve_lower(lower, values);

  std::vector<Prediction> predictions;
  for (int kernel = 0; kernel < static_cast<int>(places_.size()); ++kernel) {
    std::vector<double> with(known.size());
    for (std::size_t i = 0; i < known.size(); ++i) with[i] = variance * likeness(kernel, known[i]);
    with = solve_lower(lower, std::move(with));
    const double left = variance - dot(with, with);
    predictions.push_back(
        {mean + expected(kernel) + dot(with, whitened), std::sqrt(std::max(left, 0.0))});
  }
  return predictions;
}

}  // namespace duoblas

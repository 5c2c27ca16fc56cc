#include "bench/result_difference.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace duoblas {
namespace {

template <typename Real>
double number(const std::vector<char>& bytes, std::size_t index) {
  Real value;
  std::memcpy(&value, bytes.data() + index * sizeof value, sizeof value);
  return static_cast<double>(value);
}

template <typename Real>
double worst_difference(const PeerProblem& problem, const std::vector<char>& x,
                        const std::vector<char>& y) {
  const std::size_t parts = is_complex(problem.precision) ? 2 : 1;
  const std::size_t row = static_cast<std::size_t>(problem.n) * parts;
  const std::size_t pitch = static_cast<std::size_t>(problem.ldc) * parts;
  double worst = 0;
  for (std::size_t at = 0; at < x.size() / sizeof(Real); ++at) {
    if (at % pitch >= row) continue;
    const double difference = std::abs(number<Real>(x, at) - number<Real>(y, at));
    if (std::isnan(difference)) return difference;
    if (difference > worst) worst = difference;
  }
  return worst / static_cast<double>(std::numeric_limits<Real>::epsilon());
}

}  // namespace

double result_difference(const PeerProblem& problem, const std::vector<char>& x,
                         const std::vector<char>& y) {
  const double worst = is_double(problem.precision) ? worst_difference<double>(problem, x, y)
                                                    : worst_difference<float>(problem, x, y);
  return worst / (static_cast<double>(problem.k) * (is_complex(problem.precision) ? 4 : 1));
}

}  // namespace duoblas

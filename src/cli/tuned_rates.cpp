#include "cli/tuned_rates.hpp"

#include <cmath>

#include "cli/text_table.hpp"
#include "tuner/tune.hpp"

namespace duoblas::cli {

double gflops(const TunedPoint& point, double seconds) {
  const double operations = 2.0 * static_cast<double>(point.m) * static_cast<double>(point.n) *
                            static_cast<double>(point.k) * (is_complex(point.precision) ? 4 : 1);
  return seconds > 0 ? operations / seconds * 1e-9 : 0;
}

std::string tuning_case_of(const TunedPoint& point) {
  return tuning_case_text(point.precision, point.op_a, point.op_b, {point.m, point.n, point.k});
}

std::string product_name(Precision precision) {
  return std::string(1, letter(precision)) + "gemm";
}

std::string share_text(const Share& share) {
  return std::to_string(share.gpu_parts) + "/" + std::to_string(share.parts);
}

double geometric_mean(const std::vector<double>& values) {
  double logarithms = 0;
  for (const double value : values) logarithms += std::log(value);
  return values.empty() ? 0 : std::exp(logarithms / static_cast<double>(values.size()));
}

std::string rate_text(double gflops) {
  if (!(gflops > 0)) return "-";
  return fixed(gflops, gflops < 10 ? 2 : gflops < 1000 ? 1 : 0);
}

}  // namespace duoblas::cli

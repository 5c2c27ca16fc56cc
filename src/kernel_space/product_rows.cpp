#include "kernel_space/product_rows.hpp"

#include <algorithm>
#include <cmath>

namespace duoblas {

std::optional<double> number_for(std::string_view name, const GemmProblem& p,
                                 const DeviceLimits& limits) {
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n),
             k = static_cast<double>(p.k);
  if (name == "k") return k;
  if (name == "size") return std::ceil(std::sqrt(m * n));
  if (name == "flops") return 2 * m * n * k;
  if (name == "elements_of_unit") return m * n / std::max(1, limits.compute_units);
  if (name == "along_k") return (p.op_a == Op::none ? 1 : 0) + (p.op_b != Op::none ? 1 : 0);
  if (name == "vector_bytes") return limits.vector_bytes;
  return std::nullopt;
}

bool pays_packing(const BuiltInRow& row, const GemmProblem& p) {
  const auto m = static_cast<double>(p.m), n = static_cast<double>(p.n);
  return m * n >= row.number("per_row", 0) * m + row.number("per_column", 0) * n;
}

bool meets(const GemmProblem& problem, const DeviceLimits& limits, const BuiltInRow& row) {
  const auto number = [&](std::string_view name) { return number_for(name, problem, limits); };
  return row.unmet(number) == nullptr && pays_packing(row, problem);
}

}  // namespace duoblas

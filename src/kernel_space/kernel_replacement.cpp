#include "kernel_space/kernel_replacement.hpp"

#include <algorithm>
#include <cstdint>

#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

std::int64_t tile(const KernelParams& kernel) {
  return row_tile(kernel) * col_tile(kernel);
}

std::optional<double> field(std::string_view name, const KernelParams& kernel) {
  const auto found = std::ranges::find(kernel_fields(), name, &KernelField::name);
  if (found == kernel_fields().end()) return std::nullopt;
  return found->get(kernel);
}

}  // namespace

std::optional<double> number_for(std::string_view name, const KernelReplacement& replacement,
                                 const GemmProblem& problem, const DeviceLimits& limits) {
  constexpr std::string_view of_planned = "planned ", of_built_in = "built_in ";
  const auto& [use, planned, is_tuned_here, built_in] = replacement;
  if (name == "tuned_here") return is_tuned_here ? 1 : 0;
  if (name == "tile_over_planned")
    return static_cast<double>(tile(built_in)) / static_cast<double>(tile(planned));
  if (name == "tiles_of_unit") {
    const std::int64_t tiles =
        parts(problem.m, row_tile(planned)) * parts(problem.n, col_tile(planned));
    return static_cast<double>(tiles) / std::max(1, limits.compute_units);
  }
  if (name.starts_with(of_planned)) return field(name.substr(of_planned.size()), planned);
  if (name.starts_with(of_built_in)) return field(name.substr(of_built_in.size()), built_in);
  return std::nullopt;
}

const BuiltInRow* row_for(const KernelReplacement& replacement, const GemmProblem& problem,
                          const DeviceLimits& limits) {
  if (limits.is_cpu) return nullptr;
  const auto number = [&](std::string_view name) {
    return number_for(name, replacement, problem, limits);
  };
  for (const BuiltInKernel& built_in : built_in_kernels(replacement.use, problem.precision))
    if (built_in.row->unmet(number) == nullptr) return built_in.row;
  return nullptr;
}

}  // namespace duoblas

#include "tuner/search/kernel_list.hpp"

#include <algorithm>
#include <string>

#include <duoblas/error.hpp>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_fields.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas {
namespace {

// The kernels whose neighbours are looked at. With more of them each would have few.
constexpr std::size_t most_origins = 8;
// Values of a field that lie further away are another kernel's neighbours.
constexpr int farthest = 3;

// The kernel with a field's value so many places away; the same kernel where there is none.
KernelParams stepped(KernelParams kernel, const KernelField& field, int step) {
  const auto here = std::ranges::lower_bound(field.values, field.get(kernel));
  const auto place = here - field.values.begin() + step;
  if (place >= 0 && place < std::ssize(field.values))
    field.set(kernel, field.values[static_cast<std::size_t>(place)]);
  return kernel;
}

std::vector<KernelParams> neighbours(const KernelParams& kernel) {
  std::vector<KernelParams> all;
  for (int distance = 1; distance <= farthest; ++distance)
    for (const int index : fields_by_importance(kernel.family)) {
      const KernelField& field = kernel_fields()[static_cast<std::size_t>(index)];
      // Jobs, by which kernels are timed, split no last tiles.
      if (field.name == "family" || field.name == "split_last") continue;
      for (const int step : {distance, -distance})
        all.push_back(canonical(stepped(kernel, field, step)));
    }
  return all;
}

// The default kernel suits every device that any kernel suits, so its rule says why there is none.
[[noreturn]] void throw_no_kernel(const KernelParams& kernel, Precision precision,
                                  const DeviceLimits& limits, const FixedFields& fixed) {
  const KernelRule* rule = violated_rule(with(kernel, fixed), precision, limits);
  throw DeviceError("no kernel " + (fixed.empty() ? "" : "with " + assignments_text(fixed) + " ") +
                    "can be tuned on this device" +
                    (rule == nullptr
                         ? std::string()
                         : ": rule " + std::string(rule->name) + ": " + std::string(rule->reason)));
}

}  // namespace

std::vector<KernelParams> search_kernels(Precision precision, Op op_a, Op op_b,
                                         const DeviceLimits& limits, std::size_t most,
                                         const FixedFields& fixed) {
  most = std::max<std::size_t>(most, 1);
  std::vector<KernelParams> kernels;
  const auto is_new = [&](const KernelParams& kernel) {
    // A panel kernel packs transposed operands anyhow.
    const bool packed =
        !limits.is_cpu || ((op_a == Op::none || kernel.pack_a || fixed.contains("pack_a")) &&
                           (op_b == Op::none || kernel.pack_b || fixed.contains("pack_b")));
    return packed && kernel.matrix != MatrixUnit::tf32x3 && has(kernel, fixed) &&
           violated_rule(kernel, precision, limits) == nullptr &&
           std::ranges::find(kernels, kernel) == kernels.end();
  };
  // With fixed fields a candidate may be illegal here while a neighbour of it is legal.
  std::vector<KernelParams> origins;
  for (const KernelParams& candidate : kernel_candidates(precision, op_a, op_b, limits)) {
    const KernelParams kernel = fixed.empty() ? candidate : canonical(with(candidate, fixed));
    if (origins.size() < most_origins) origins.push_back(kernel);
    if (kernels.size() < most && (fixed.empty() || is_new(kernel))) kernels.push_back(kernel);
  }
  if (origins.empty()) throw_no_kernel(default_kernel(precision, limits), precision, limits, fixed);
  std::vector<std::vector<KernelParams>> around;
  for (const KernelParams& origin : origins) around.push_back(neighbours(origin));

  // In turns: every origin gives its next neighbour that is new.
  std::vector<std::size_t> next(around.size(), 0);
  for (bool any = true; any;) {
    any = false;
    for (std::size_t i = 0; i < around.size() && kernels.size() < most; ++i) {
      while (next[i] < around[i].size() && !is_new(around[i][next[i]])) ++next[i];
      if (next[i] == around[i].size()) continue;
      kernels.push_back(around[i][next[i]++]);
      any = true;
    }
  }
  if (kernels.empty()) throw_no_kernel(origins.front(), precision, limits, fixed);
  return kernels;
}

}  // namespace duoblas

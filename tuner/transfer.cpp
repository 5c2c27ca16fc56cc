#include "tuner/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "tuner/search/kernel_list.hpp"

namespace duoblas {
namespace {

// Other ops change how operands are read; another type changes registers and caches as well.
// A factor of 8 in one size counts as much as other ops.
constexpr double other_ops = 4;
constexpr double other_type = 9;

double squared_log_ratio(std::int64_t x, std::int64_t y) {
  const double ratio = std::log(static_cast<double>(x) / static_cast<double>(y));
  return ratio * ratio;
}

double distance(const Learnt& learnt, const KernelCase& tuning_case, const Shape& shape) {
  double sum = squared_log_ratio(learnt.shape.m, shape.m) +
               squared_log_ratio(learnt.shape.n, shape.n) +
               squared_log_ratio(learnt.shape.k, shape.k);
  sum += learnt.tuning_case.op_a != tuning_case.op_a ? other_ops : 0;
  sum += learnt.tuning_case.op_b != tuning_case.op_b ? other_ops : 0;
  sum += learnt.tuning_case.precision != tuning_case.precision ? other_type : 0;
  return sum;
}

std::vector<const Learnt*> by_distance(const KernelCase& tuning_case, const Shape& shape,
                                       const std::vector<Learnt>& learnt) {
  std::vector<const Learnt*> nearest;
  for (const Learnt& l : learnt) nearest.push_back(&l);
  std::ranges::stable_sort(nearest, {},
                           [&](const Learnt* l) { return distance(*l, tuning_case, shape); });
  return nearest;
}

}  // namespace

int seeded_share(const KernelCase& tuning_case, const Shape& shape,
                 const std::vector<Learnt>& learnt, int parts) {
  if (learnt.empty()) return 0;
  const double share = by_distance(tuning_case, shape, learnt).front()->share;
  return std::clamp(static_cast<int>(std::lround(share * parts)), 1, parts);
}

SharingMode seeded_sharing(const KernelCase& tuning_case, const Shape& shape,
                           const std::vector<Learnt>& learnt, SharingMode otherwise) {
  for (const Learnt* l : by_distance(tuning_case, shape, learnt))
    if (l->tuning_case.precision == tuning_case.precision) return l->sharing;
  return otherwise;
}

std::vector<KernelParams> kernels_learnt_at(const KernelCase& tuning_case, const Shape& shape,
                                            const std::vector<Learnt>& learnt, std::size_t most) {
  std::vector<KernelParams> kernels;
  for (const Learnt& l : learnt)
    if (distance(l, tuning_case, shape) == 0) kernels = l.kernels;
  if (kernels.size() > most) kernels.resize(most);
  return kernels;
}

KernelParams for_precision(KernelParams kernel, Precision from, Precision to) {
  const auto scaled = [&](int value) {
    const auto bytes = static_cast<std::size_t>(value) * element_size(from);
    return std::max(1, static_cast<int>(bytes / element_size(to)));
  };
  if (from == to) return kernel;
  kernel.vector_width = scaled(kernel.vector_width);
  if (kernel.vector_width_m > 0) kernel.vector_width_m = scaled(kernel.vector_width_m);
  // A panel's tile is in vectors; in a tile of a work-group the registers count.
  if (kernel.family == KernelFamily::panel) kernel.tile_cols = scaled(kernel.tile_cols);
  return kernel;
}

std::vector<KernelParams> seeded_kernels(const KernelCase& tuning_case, const Shape& shape,
                                         const DeviceLimits& limits,
                                         const std::vector<Learnt>& learnt, std::size_t most,
                                         const FixedFields& fixed) {
  std::vector<const Learnt*> nearest = by_distance(tuning_case, shape, learnt);
  constexpr std::size_t few = 3;
  if (nearest.size() > few) nearest.resize(few);

  std::vector<KernelParams> kernels;
  const auto add = [&](KernelParams kernel) {
    if (limits.is_cpu) {
      // A panel kernel packs transposed operands anyhow.
      kernel.pack_a |= tuning_case.op_a != Op::none;
      kernel.pack_b |= tuning_case.op_b != Op::none;
    }
    kernel = canonical(with(kernel, fixed));
    if (kernels.size() < most && has(kernel, fixed) &&
        violated_rule(kernel, tuning_case.precision, limits) == nullptr &&
        std::ranges::find(kernels, kernel) == kernels.end())
      kernels.push_back(kernel);
  };
  const std::vector<KernelParams> others = search_kernels(tuning_case.precision, tuning_case.op_a,
                                                          tuning_case.op_b, limits, most, fixed);
  const auto is_of_type = [&](const Learnt* l) {
    return l->tuning_case.precision == tuning_case.precision && !l->kernels.empty();
  };
  if (!nearest.empty() && is_of_type(nearest.front())) add(nearest.front()->kernels.front());
  if (!others.empty()) add(others.front());
  std::size_t rank = 0;
  for (bool more = true; more; ++rank) {
    more = false;
    for (const Learnt* l : nearest) {
      if (rank >= l->kernels.size()) continue;
      more = true;
      add(for_precision(l->kernels[rank], l->tuning_case.precision, tuning_case.precision));
    }
  }
  for (const KernelParams& kernel : others) add(kernel);
  return kernels;
}

}  // namespace duoblas

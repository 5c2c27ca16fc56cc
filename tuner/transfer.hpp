// What was learnt for one tuning case seeds the next: no tuning case is tuned from nothing.
#pragma once

#include <vector>

#include "kernel_space/device_limits.hpp"
#include "kernel_space/fixed_fields.hpp"
#include "memory/sharing_mode.hpp"
#include "tuner/kernel_pool.hpp"

namespace duoblas {

/// The kernels that were best somewhere, best first.
struct Learnt {
  KernelCase tuning_case;
  Shape shape;
  std::vector<KernelParams> kernels;
  double share = 0.5;  ///< of the GPU
  SharingMode sharing = SharingMode::staged;
};

/// The kernels to search for a tuning case, most promising first, at most `most`: those that were
/// best for the nearest tuning cases (same ops and element type before others, then by distance in
/// log m, log n, log k), made legal here, then search_kernels(). All have the `fixed` values.
std::vector<KernelParams> seeded_kernels(const KernelCase& tuning_case, const Shape& shape,
                                         const DeviceLimits& limits,
                                         const std::vector<Learnt>& learnt, std::size_t most,
                                         const FixedFields& fixed = {});

/// The GPU's share of the nearest one in parts; 0: nothing was learnt.
int seeded_share(const KernelCase& tuning_case, const Shape& shape,
                 const std::vector<Learnt>& learnt, int parts);

/// How the GPU reached the operands of the nearest one of this element type; `otherwise` where
/// there is none.
SharingMode seeded_sharing(const KernelCase& tuning_case, const Shape& shape,
                           const std::vector<Learnt>& learnt, SharingMode otherwise);

/// The same kernel for another element type: vectors of as many bytes. For the same bytes per
/// work-item, tiles of floats have twice the columns of those of doubles.
KernelParams for_precision(KernelParams kernel, Precision from, Precision to);

}  // namespace duoblas

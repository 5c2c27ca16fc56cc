// Results of one tuning case are the starting points of the next.
#pragma once

#include <vector>

#include "kernel_space/device_limits.hpp"
#include "sides/sharing_mode.hpp"
#include "tuner/fixed_fields.hpp"
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

/// The kernels to search for a tuning case, most promising first, at most `most`: the best one of
/// the nearest tuning case if that is of this element type, the device's default, the others that
/// were best for the nearest cases, made legal here, and then search_kernels(). (Cases with the
/// same ops and element type are nearer than others; then the distance in log m, log n, log k
/// counts.) All have the `fixed` values.
std::vector<KernelParams> seeded_kernels(const KernelCase& tuning_case, const Shape& shape,
                                         const DeviceLimits& limits,
                                         const std::vector<Learnt>& learnt, std::size_t most,
                                         const FixedFields& fixed = {});

/// The GPU's share, in parts, of the nearest tuning case; 0: there is none.
int seeded_share(const KernelCase& tuning_case, const Shape& shape,
                 const std::vector<Learnt>& learnt, int parts);

/// The sharing mode of the nearest tuning case of this element type; `otherwise` if there is none.
SharingMode seeded_sharing(const KernelCase& tuning_case, const Shape& shape,
                           const std::vector<Learnt>& learnt, SharingMode otherwise);

/// The kernels that were best at this very case, the first `most`.
std::vector<KernelParams> kernels_learnt_at(const KernelCase& tuning_case, const Shape& shape,
                                            const std::vector<Learnt>& learnt, std::size_t most);

/// The same kernel for another element type: vectors have as many bytes. Tiles of floats have twice
/// the columns of tiles of doubles, for the same bytes per work-item.
KernelParams for_precision(KernelParams kernel, Precision from, Precision to);

}  // namespace duoblas

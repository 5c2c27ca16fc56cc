// The kernel of a product in the device's memory, by where its rows start.
#pragma once

#include "kernel_space/kernel_defaults.hpp"

namespace duoblas {

/// `even` where rows of A and B start at multiples of 16 bytes (`are_aligned`). Else a kernel that
/// packs both, if it pays and `has_room(kernel)`, or one for odd rows. Last tiles are whole where
/// there is no room for their parts.
template <class HasRoom>
KernelParams kernel_for_rows(const KernelParams& even, const GemmProblem& p, bool are_aligned,
                             const DeviceLimits& limits, const HasRoom& has_room) {
  const auto with_room = [&](const KernelParams& kernel) {
    const KernelParams splitting = split_where_it_pays(kernel, p, limits);
    return !splitting.split_last || has_room(splitting) ? splitting : with_whole_tiles(kernel);
  };
  if (are_aligned) return with_room(even);
  if (auto packed = packed_kernel_for_odd_rows(even, p, limits)) {
    *packed = with_room(*packed);
    if (has_room(*packed)) return *packed;
  }
  return with_room(kernel_for_odd_rows(even, p, limits));
}

}  // namespace duoblas

#include "kernel_space/canonical_kernel.hpp"

#include <algorithm>

namespace duoblas {
namespace {

// What the table cannot say: a field that means nothing because of what another one is.
void reset_meaningless(KernelParams& params) {
  const KernelParams defaults;
  // No slice is on its way to local memory.
  if (!params.local_a && !params.local_b) {
    params.prefetch = defaults.prefetch;
    params.async_copy = defaults.async_copy;
  }
  // The instruction decides which numbers are a work-item's, and how they are multiplied.
  if (params.matrix != MatrixUnit::none) {
    params.assignment = defaults.assignment;
    params.lane_order = defaults.lane_order;
    params.multiply_add = defaults.multiply_add;
    params.vector_width = 2;
    params.vector_width_m = defaults.vector_width_m;
  }
  // Bytes are made in the kernel's own order, for local memory, and nothing else is there to
  // choose.
  if (is_by_integers(params)) {
    params.pack_a = params.pack_b = params.local_a = params.local_b = true;
    params.image_a = params.image_b = params.shuffle = params.fragments = false;
    params.split_last = params.inline_sizes = params.as_real = false;
    params.group_depth = defaults.group_depth;
    params.madd_order = defaults.madd_order;
    params.k_split = defaults.k_split;
    params.loop_order = defaults.loop_order;
    params.raster = defaults.raster;
  }
  // Nor is there a choice of order or of registers.
  if (params.wide) {
    params.fragments = defaults.fragments;
    params.madd_order = defaults.madd_order;
  }
  if (params.vector_width_m == params.vector_width) params.vector_width_m = defaults.vector_width_m;
}

}  // namespace

KernelParams canonical(KernelParams params, KernelTable table) {
  for (const KernelField& field : table)
    if (!field.is_used_by(params.family)) field.set(params, field.default_value());
  reset_meaningless(params);
  return params;
}

bool matters(const KernelField& field, const KernelParams& params, KernelTable table) {
  const KernelParams here = canonical(params, table);
  return std::ranges::any_of(field.values, [&](int value) {
    KernelParams other = params;
    field.set(other, value);
    return canonical(other, table) != here;
  });
}

}  // namespace duoblas

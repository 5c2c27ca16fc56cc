#include "kernel_space/fallback_kernels.hpp"

#include <algorithm>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/kernel_rules.hpp"
#include "kernel_space/tiled_points.hpp"

namespace duoblas {
namespace {

// Packing kernels have work-groups of their own, of 128 work-items.
KernelParams unpacked(KernelParams p) {
  p.pack_a = p.pack_b = p.image_a = p.image_b = false;
  return canonical(p);
}

}  // namespace

std::vector<KernelParams> fallback_kernels(const KernelParams& refused, Precision precision,
                                           const DeviceLimits& limits) {
  std::vector<KernelParams> kernels;
  const auto add = [&](KernelParams p) {
    if (!is_legal(p, precision, limits)) p.multiply_add = MultiplyAdd::plain;
    if (is_legal(p, precision, limits) && std::ranges::find(kernels, p) == kernels.end())
      kernels.push_back(p);
  };
  if (refused.matrix != MatrixUnit::tf32x3) add(unpacked(refused));
  if (refused.wide) add(default_tf32x3(precision));
  const KernelParams usual = default_kernel(precision, limits);
  add(usual);
  add(unpacked(usual));
  // Tiled kernels were seen to be miscompiled by a CPU's driver (cl::DriverQuirks).
  if (limits.is_cpu) return kernels;
  // A complex product as a real one cannot do without packing; the best that can follows it.
  const std::size_t before = kernels.size();
  if (usual.as_real)
    for (const KernelParams& p : default_tiled(precision))
      if (!p.as_real && kernels.size() == before) add(unpacked(p));
  add(default_tiled(precision).back());
  add(small_tiled());
  add(least_tiled());
  return kernels;
}

}  // namespace duoblas

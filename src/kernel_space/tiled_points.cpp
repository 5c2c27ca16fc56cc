#include "kernel_space/tiled_points.hpp"

#include <algorithm>

#include "kernel_space/built_in_kernels.hpp"
#include "kernel_space/kernel_rules.hpp"

namespace duoblas {
namespace {

// 16-byte vectors: the widest loads that GPUs have.
int widest_vector(Precision precision) {
  return std::max(1, 16 / static_cast<int>(element_size(precision)));
}

}  // namespace

std::vector<KernelParams> default_tiled(Precision precision) {
  std::vector<KernelParams> points;
  for (const BuiltInKernel& row : built_in_kernels(KernelUse::whole, precision))
    points.push_back(row.kernel);
  return points;
}

KernelParams tiled_for_odd_rows(const KernelParams& even, Precision precision, Op op_a, Op op_b) {
  const int along_k = (op_a == Op::none ? 1 : 0) + (op_b != Op::none ? 1 : 0);
  for (const auto& [row, kernel, replaced] : built_in_kernels(KernelUse::odd_rows, precision))
    if (replaced == even && row->suits("along_k", along_k)) return kernel;
  return even;
}

KernelParams small_tiled() {
  return built_in_kernels(KernelUse::refused, Precision::s).front().kernel;
}

KernelParams least_tiled() {
  return built_in_kernels(KernelUse::refused, Precision::s).back().kernel;
}

KernelParams default_tf32x3(Precision precision) {
  return built_in_kernels(KernelUse::tf32x3, precision).front().kernel;
}

std::vector<KernelParams> tiled_points(Precision precision) {
  std::vector<KernelParams> points = default_tiled(precision);
  for (const BuiltInKernel& row : built_in_kernels(KernelUse::search_teams, precision)) {
    points.push_back(row.kernel);
    points.back().vector_width = widest_vector(precision);
  }
  for (const int packed : {0, 1, 3})
    for (const BuiltInKernel& row : built_in_kernels(KernelUse::search, precision)) {
      KernelParams p = row.kernel;
      p.vector_width = widest_vector(precision);
      p.pack_a = packed != 0;
      p.pack_b = packed == 3;
      // A slice may be too small for every work-item to load a whole vector.
      while (p.vector_width > 1 && violated_static_rule(p) != nullptr) p.vector_width /= 2;
      points.push_back(p);
    }
  return points;
}

}  // namespace duoblas

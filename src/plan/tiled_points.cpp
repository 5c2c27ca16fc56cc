#include "plan/tiled_points.hpp"

#include <algorithm>

#include "plan/kernel_rules.hpp"

namespace duoblas {
namespace {

struct Shape {
  int tile_rows, tile_cols, group_rows, group_cols, k_unroll;
};

KernelParams tiled(const Shape& shape, int vector_width) {
  KernelParams p;
  p.family = KernelFamily::tiled;
  p.tile_rows = shape.tile_rows;
  p.tile_cols = shape.tile_cols;
  p.vector_width = vector_width;
  p.group_rows = shape.group_rows;
  p.group_cols = shape.group_cols;
  p.k_unroll = shape.k_unroll;
  p.local_a = p.local_b = true;
  p.madd_order = MaddOrder::row_serpentine;
  if (shape.group_rows % 4 == 0 && shape.group_cols % 8 == 0) {
    p.lane_order = LaneOrder::patch_4x8;
    p.assignment = Assignment::patch_offset;
  }
  return p;
}

// With asynchronous copies, `prefetch` slices ahead.
KernelParams copied(const Shape& shape, int vector_width, int prefetch) {
  KernelParams p = tiled(shape, vector_width);
  p.async_copy = true;
  p.prefetch = prefetch;
  return p;
}

KernelParams with_matrix(MatrixUnit unit, const Shape& shape, int prefetch, MaddOrder order) {
  KernelParams p = canonical(copied(shape, 2, prefetch));
  p.fragments = true;
  p.madd_order = order;
  p.matrix = unit;
  return canonical(p);
}

// 16-byte vectors: the widest loads that GPUs have.
int widest_vector(Precision precision) {
  return std::max(1, 16 / static_cast<int>(element_size(precision)));
}

// The best of several hundred on an NVIDIA H200, whole calls nn with device-resident operands
// (bench_device_gemm): sgemm 52.0 TFLOPS at n = 4096 and 35.6 at 1024, dgemm 54.0 and 45.9,
// cgemm 49.7 and zgemm 24.5 at 2048.
std::vector<KernelParams> copying_points(Precision precision) {
  std::vector<KernelParams> points;
  switch (precision) {
    case Precision::s: {
      KernelParams large = copied({8, 8, 16, 16, 16}, 4, 2);
      large.pack_a = true;
      points.push_back(large);
      large.fragments = true;
      large.lane_order = LaneOrder::patch_8x4;
      large.raster = 4;
      large.loop_order = 1;
      points.push_back(large);
      KernelParams small = copied({8, 8, 8, 8, 16}, 4, 2);
      small.pack_a = small.fragments = true;
      small.lane_order = LaneOrder::patch_8x4;
      small.madd_order = MaddOrder::column_serpentine;
      points.push_back(small);
      small = copied({8, 8, 8, 16, 8}, 4, 1);
      small.fragments = true;
      points.push_back(small);
      points.push_back(copied({8, 8, 16, 16, 8}, 4, 2));
      break;
    }
    case Precision::d:
      points.push_back(
          with_matrix(MatrixUnit::fp64_deep, {8, 8, 8, 16, 16}, 2, MaddOrder::column_serpentine));
      points.push_back(
          with_matrix(MatrixUnit::fp64_deep, {8, 8, 16, 16, 16}, 3, MaddOrder::row_serpentine));
      points.push_back(
          with_matrix(MatrixUnit::fp64, {8, 8, 8, 16, 16}, 2, MaddOrder::row_serpentine));
      points.push_back(with_matrix(MatrixUnit::fp64, {4, 8, 16, 16, 16}, 2, MaddOrder::plain));
      points.push_back(with_matrix(MatrixUnit::fp64, {4, 8, 16, 8, 16}, 3, MaddOrder::plain));
      break;
    case Precision::c: {
      KernelParams p = copied({8, 4, 8, 16, 8}, 2, 1);
      p.fragments = true;
      points.push_back(p);
      p.pack_a = true;
      p.prefetch = 2;
      points.push_back(p);
      break;
    }
    case Precision::z: {
      KernelParams p = copied({8, 4, 8, 16, 8}, 1, 2);
      p.pack_a = true;
      points.push_back(p);
      points.push_back(copied({8, 4, 8, 16, 8}, 1, 1));
      break;
    }
  }
  return points;
}

// The same machine without a word of PTX: 48.0 and 23.8 TFLOPS at n = 4096, cgemm 44.4 and
// zgemm 24.1 at 2048. The second of each for devices with fewer registers.
std::vector<KernelParams> portable_points(Precision precision) {
  const int vector_width = widest_vector(precision);
  std::vector<KernelParams> points;
  switch (precision) {
    case Precision::s: points.push_back(tiled({8, 8, 16, 16, 16}, vector_width)); break;
    case Precision::d:
      points.push_back(tiled({8, 8, 16, 16, 8}, vector_width));
      points.back().fragments = true;
      points.back().madd_order = MaddOrder::column_serpentine;
      break;
    case Precision::c: points.push_back(tiled({4, 4, 16, 16, 8}, vector_width)); break;
    case Precision::z: points.push_back(tiled({8, 4, 8, 16, 8}, vector_width)); break;
  }
  // A slice has a whole vector for each work-item.
  points.push_back(tiled({4, 4, 8, 16, precision == Precision::s ? 16 : 8}, vector_width));
  return points;
}

}  // namespace

std::vector<KernelParams> default_tiled(Precision precision) {
  std::vector<KernelParams> points = copying_points(precision);
  for (const KernelParams& p : portable_points(precision)) points.push_back(p);
  return points;
}

KernelParams least_tiled() {
  KernelParams least = tiled({1, 1, 4, 4, 1}, 1);
  least.local_a = least.local_b = false;
  return least;
}

KernelParams default_tf32x3() {
  // 64.9 TFLOPS of sgemm at n = 4096 on the H200, the guard's passes over A and B included.
  return with_matrix(MatrixUnit::tf32x3, {4, 16, 16, 8, 16}, 3, MaddOrder::plain);
}

std::vector<KernelParams> tiled_points(Precision precision) {
  std::vector<KernelParams> points = default_tiled(precision);
  // Work-group tiles from 128 x 128 down to 16 x 32: large ones for devices with many registers and
  // large matrices, small ones for integrated GPUs and small matrices. In this order on the H200.
  const Shape shapes[] = {
      {8, 8, 16, 16, 8},  {8, 8, 8, 16, 16}, {8, 8, 8, 8, 16},  {8, 8, 16, 16, 4}, {8, 4, 8, 16, 8},
      {4, 4, 16, 16, 16}, {8, 8, 8, 16, 8},  {4, 4, 16, 16, 8}, {4, 8, 8, 16, 8},  {4, 4, 8, 16, 8},
      {4, 4, 8, 8, 8},    {2, 4, 8, 8, 8},   {4, 4, 8, 8, 4},   {2, 2, 16, 16, 8}, {2, 2, 8, 8, 8}};
  for (const int packed : {0, 1, 3})
    for (const Shape& s : shapes) {
      KernelParams p = tiled(s, widest_vector(precision));
      p.pack_a = packed != 0;
      p.pack_b = packed == 3;
      // A slice may be too small for every work-item to load a whole vector.
      while (p.vector_width > 1 && violated_static_rule(p) != nullptr) p.vector_width /= 2;
      points.push_back(p);
    }
  return points;
}

}  // namespace duoblas

#include "kernel_space/tiled_points.hpp"

#include <algorithm>

#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_rules.hpp"

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

KernelParams packed(KernelParams p, bool a, bool b) {
  p.pack_a = a;
  p.pack_b = b;
  return p;
}

// With room for so many groups on a multiprocessor.
KernelParams resident(KernelParams p, int groups) {
  p.resident_groups = groups;
  return p;
}

KernelParams with_fragments(KernelParams p) {
  p.fragments = true;
  return p;
}

// Bands of tiles along m.
KernelParams in_bands(KernelParams p, int width) {
  p.raster = width;
  p.loop_order = 1;
  return p;
}

KernelParams in_teams(KernelParams p, int teams) {
  p.group_depth = teams;
  return p;
}

// The points below are the best of about 1500 on an NVIDIA H200, whole calls with device-resident
// operands (bench_device_gemm; docs/results/h200-kernels.md has the table). Each list's first is
// the default: for large matrices.
std::vector<KernelParams> copying_points_s() {
  constexpr Shape square = {8, 8, 16, 16, 16}, deep = {8, 8, 16, 16, 32}, flat = {8, 8, 8, 16, 16};
  const auto large = [](const Shape& shape) {
    return in_bands(resident(copied(shape, 4, 1), 2), 4);
  };
  const auto teams = [&](int prefetch) {
    return in_teams(resident(copied(flat, 4, prefetch), 2), 2);
  };
  KernelParams small = in_teams(resident(copied({4, 8, 8, 8, 16}, 4, 2), 1), 4);
  small.lane_order = LaneOrder::squares_4x8;
  return {packed(with_fragments(large(square)), true, false),
          packed(with_fragments(large(deep)), true, false),
          large(square),
          in_bands(resident(copied(flat, 4, 2), 4), 4),
          packed(large(square), true, true),  // B transposed
          packed(large(square), false, true),
          teams(2),  // n = 1024
          teams(1),
          packed(with_fragments(teams(1)), false, true),  // the same with B transposed
          small};                                         // n = 512
}

// Tiles of 128 x 128 and of 64 x 128 in bands.
KernelParams large_d() {
  KernelParams p =
      with_matrix(MatrixUnit::fp64_deep, {8, 8, 16, 16, 16}, 3, MaddOrder::row_serpentine);
  p.raster = 16;
  return p;
}

KernelParams banded_wide_d() {
  KernelParams p =
      with_matrix(MatrixUnit::fp64_deep, {4, 8, 16, 16, 16}, 3, MaddOrder::row_serpentine);
  p.raster = 16;
  return p;
}

// Tiles of 64 x 128.
KernelParams wide_d() {
  return with_matrix(MatrixUnit::fp64_deep, {4, 8, 16, 16, 16}, 2, MaddOrder::plain);
}

// Tiles of 64 x 32.
KernelParams small_d(int prefetch) {
  return resident(
      with_matrix(MatrixUnit::fp64_deep, {2, 8, 32, 4, 16}, prefetch, MaddOrder::row_serpentine),
      2);
}

// Tiles of 64 x 64.
KernelParams middle_d(int prefetch, int resident_groups) {
  KernelParams p = with_matrix(MatrixUnit::fp64_deep, {4, 8, 16, 8, 8}, prefetch, MaddOrder::plain);
  p.fragments = false;
  return resident(p, resident_groups);
}

std::vector<KernelParams> copying_points_d() {
  constexpr auto deep = MatrixUnit::fp64_deep, shallow = MatrixUnit::fp64;
  constexpr Shape square = {8, 8, 16, 16, 16};
  return {banded_wide_d(),
          large_d(),
          wide_d(),
          with_matrix(deep, square, 2, MaddOrder::plain),
          packed(with_matrix(deep, square, 3, MaddOrder::row_serpentine), true, true),
          packed(with_matrix(deep, {8, 8, 8, 16, 16}, 2, MaddOrder::plain), true, true),
          with_matrix(deep, {8, 8, 8, 16, 16}, 2, MaddOrder::plain),
          with_matrix(shallow, {4, 8, 16, 8, 16}, 3, MaddOrder::row_serpentine),
          with_matrix(shallow, {4, 4, 8, 16, 16}, 2, MaddOrder::plain)};  // n = 512
}

// A complex product as a real one: of packed operands, which fast kernels of real numbers take.
KernelParams as_real(KernelParams p) {
  p = packed(p, true, true);
  p.as_real = true;
  return p;
}

std::vector<KernelParams> copying_points_c() {
  // Registers for four groups: 52.2 TFLOPS on an H100 at n = 2048, with three 51.2.
  KernelParams flat = with_fragments(resident(copied({8, 4, 8, 16, 8}, 2, 1), 4));
  flat.lane_order = LaneOrder::patch_8x4;
  const KernelParams real = in_bands(resident(copied({8, 8, 16, 16, 16}, 4, 1), 2), 4);
  return {packed(flat, true, false), flat,
          packed(resident(copied({8, 4, 16, 16, 8}, 2, 1), 2), true, false), as_real(real)};
}

std::vector<KernelParams> copying_points_z() {
  KernelParams flat = copied({8, 4, 8, 16, 8}, 1, 2);
  flat.lane_order = LaneOrder::squares_4x8;
  constexpr auto deep = MatrixUnit::fp64_deep;
  KernelParams banded = with_matrix(deep, {8, 8, 16, 16, 16}, 3, MaddOrder::row_serpentine);
  banded.raster = 16;
  // 52 TFLOPS at n = 4096 and 2048 where cuBLAS has 52.5 and 55, and the others here 24 and 23.
  return {as_real(banded),
          as_real(with_matrix(deep, {8, 8, 8, 16, 16}, 2, MaddOrder::plain)),
          as_real(with_matrix(deep, {8, 8, 16, 16, 16}, 3, MaddOrder::row_serpentine)),
          as_real(with_matrix(deep, {4, 8, 16, 16, 16}, 3, MaddOrder::row_serpentine)),
          as_real(with_matrix(MatrixUnit::fp64, {4, 4, 8, 16, 16}, 2, MaddOrder::plain)),
          packed(flat, true, false),
          flat};
}

std::vector<KernelParams> copying_points(Precision precision) {
  switch (precision) {
    case Precision::s: return copying_points_s();
    case Precision::d: return copying_points_d();
    case Precision::c: return copying_points_c();
    case Precision::z: return copying_points_z();
  }
  return {};
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

// An H100, whole calls over cuBLAS's. With tiles of 32 x 64: 256 2.1 (default: 0.88), 768 0.98
// (0.5); of 64 x 128: 1024 1.13 (0.6), 1280 1.10 (1.07).
std::optional<KernelParams> tiled_for_small(Precision precision, double elements_of_unit) {
  constexpr double most_of_small = 6000, most_of_middle = 20000;
  if (precision != Precision::s || elements_of_unit >= most_of_middle) return std::nullopt;
  if (elements_of_unit >= most_of_small)
    return in_teams(resident(copied({8, 8, 8, 16, 16}, 4, 2), 2), 2);
  KernelParams p = in_teams(resident(copied({4, 8, 8, 8, 16}, 4, 2), 1), 4);
  p.lane_order = LaneOrder::squares_4x8;
  return p;
}

// An H200, whole calls where (nearly) every unit has a tile in the last round too, TFLOPS: tiles of
// 128 x 128 59.7 (n = 2048), 64 x 128 56.4 (2048) and 54.0 (1024), 64 x 64 47.5 (1536: 54.4 without
// what the last round leaves idle), 64 x 32 34.5 (768: 47.4 so).
std::vector<RatedKernel> tiled_by_size(Precision precision) {
  if (precision != Precision::d) return {};
  return {
      {large_d(), 1}, {wide_d(), 0.93}, {in_teams(middle_d(3, 2), 2), 0.86}, {small_d(3), 0.77}};
}

// Copies of single numbers go through the first-level cache, which is what local memory leaves of
// 256 KiB. Where both operands lie along k, or one and many slices are ahead, 16 bytes are copied
// at a time (kernels/tiled_windows.clh), past that cache. An H200 with rows of an odd number of
// doubles, TFLOPS of nn, nt, tn: n = 1024 44.9, 45.6, 45.4 (64 x 64 with three groups, the fastest
// of all copies at once: 40.7, 40.3, 42.9), 2048 50.2, 51.4, 49.4 (48.0, 48.8, 48.8); with C stored
// line by line (an H100) 49.5, 49.5, 49.7 and 54.8, 54.5, 53.4.
KernelParams tiled_for_odd_rows(const KernelParams& even, Op op_a, Op op_b) {
  const bool a_along_k = op_a == Op::none, b_along_k = op_b != Op::none;
  if (even == large_d() || even == banded_wide_d()) {
    KernelParams p = with_matrix(MatrixUnit::fp64_deep, {4, 8, 16, 16, 16}, 4, MaddOrder::plain);
    p.raster = 16;
    return p;
  }
  if (even == wide_d())
    return with_matrix(MatrixUnit::fp64_deep, {4, 8, 16, 16, 16}, a_along_k || b_along_k ? 4 : 3,
                       MaddOrder::row_serpentine);
  if (even == small_d(3)) return small_d(4);
  return even == in_teams(middle_d(3, 2), 2) ? middle_d(a_along_k && b_along_k ? 4 : 3, 3) : even;
}

bool is_for_large_products(const KernelParams& even) {
  return even == large_d() || even == banded_wide_d() || even == wide_d();
}

KernelParams tiled_packed_for_odd_rows() {
  KernelParams p =
      with_matrix(MatrixUnit::fp64_deep, {8, 8, 8, 16, 16}, 3, MaddOrder::row_serpentine);
  p.raster = 16;
  return packed(resident(p, 2), true, true);
}

KernelParams least_tiled() {
  KernelParams least = tiled({1, 1, 4, 4, 1}, 1);
  least.local_a = least.local_b = false;
  return least;
}

KernelParams default_tf32x3(Precision precision) {
  // 66.8 TFLOPS of sgemm at n = 4096 on the H200, the guard's pass over A and B included.
  const KernelParams p =
      resident(with_matrix(MatrixUnit::tf32x3, {4, 16, 16, 8, 16}, 3, MaddOrder::plain), 2);
  if (!is_complex(precision)) return p;
  // 68.8 TFLOPS of cgemm at n = 4096 there, without bands 64.7.
  KernelParams real = as_real(p);
  real.raster = 8;
  return real;
}

KernelParams wide_tf32x3(Precision precision) {
  // 107 TFLOPS of sgemm at n = 4096 on an H100, guard and packing included.
  KernelParams p = packed(copied({2, 32, 64, 4, 32}, 2, 2), true, true);
  p.matrix = MatrixUnit::tf32x3;
  p.raster = 8;
  p.wide = true;
  p.as_real = is_complex(precision);
  return canonical(p);
}

KernelParams narrow_wide_tf32x3(Precision precision) {
  KernelParams p = wide_tf32x3(precision);
  p.group_rows = 32;
  p.prefetch = 3;
  return p;
}

std::vector<KernelParams> tiled_points(Precision precision) {
  std::vector<KernelParams> points = default_tiled(precision);
  // Twice the work-items, for matrices of few tiles.
  for (const Shape& s : {Shape{8, 4, 8, 16, 8}, Shape{4, 4, 8, 16, 8}})
    points.push_back(in_teams(tiled(s, widest_vector(precision)), 2));
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

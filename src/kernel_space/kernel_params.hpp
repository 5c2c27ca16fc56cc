// One kernel of the generator: every choice that shapes its code or its launch, as plain numbers.
#pragma once

#include <duoblas/types.hpp>

namespace duoblas {

/// Which kernel file. `panel` is for OpenCL CPU devices: one work-item per work-group, wide
/// vectors. `tiled` is for GPUs: work-group tiles staged in local memory.
enum class KernelFamily { panel, tiled };

/// How a product is added: fma(a, b, c); a * b + c, which the compiler may contract; or mad(a, b,
/// c), which compilers for CPUs never fuse.
enum class MultiplyAdd { fma, plain, mad };

/// Which vectors of the tile belong to a work-item: neighbouring ones; every n-th, n being the
/// group's work-items; or every n-th of the patch that 32 neighbouring work-items share.
enum class Assignment { consecutive, offset, patch_offset };

/// Where 32 neighbouring work-items lie in the group: in one row, or in a patch, which they fill
/// row by row or in squares of 2 x 2.
enum class LaneOrder { row, patch_4x8, patch_8x4, squares_4x8, squares_8x4 };

/// The order of a step's multiply-adds: row by row, or there and back along rows or columns.
enum class MaddOrder { plain, row_serpentine, column_serpentine };

/// Sums by vector instructions, or by a device's matrix instructions. `tf32x3` replaces a product
/// of floats by three of 11-bit numbers: opt-in only (DUOBLAS_MATH). `fp64` takes 4 steps of k at a
/// time, `fp64_deep` 8. `integers` computes products of doubles by sums of bytes, modulo numbers
/// without common factors (gpu/integers), for devices without doubles; `integers_dot` and
/// `integers_dp4a` the same where one instruction adds four products of bytes (OpenCL's, NVIDIA's),
/// `integers_matrix` where one is of blocks of bytes.
enum class MatrixUnit {
  none,
  fp64,
  tf32x3,
  fp64_deep,
  integers,
  integers_dot,
  integers_dp4a,
  integers_matrix
};

/// A point of the kernel space. kernels/README.md is the contract of the code behind it;
/// kernel_fields() says what each field means. A field's default is how kernels were before the
/// field existed, because profiles and journals that lack the field get the default.
struct KernelParams {
  KernelFamily family = KernelFamily::panel;
  int tile_rows = 6;
  int tile_cols = 16;
  int vector_width = 4;
  int group_rows = 1;
  int group_cols = 1;
  int group_depth = 1;
  int k_unroll = 1;
  int block_m = 192;
  int block_n = 256;
  int block_k = 384;
  bool pack_a = false;
  bool pack_b = false;
  bool local_a = false;
  bool local_b = false;
  bool image_a = false;
  bool image_b = false;
  bool shuffle = false;
  int prefetch = 1;
  bool async_copy = false;
  bool fragments = false;
  Assignment assignment = Assignment::offset;
  LaneOrder lane_order = LaneOrder::row;
  MaddOrder madd_order = MaddOrder::plain;
  MultiplyAdd multiply_add = MultiplyAdd::fma;
  MatrixUnit matrix = MatrixUnit::none;
  int k_split = 1;
  bool split_last = false;
  int loop_order = 0;
  int raster = 1;
  int resident_groups = 0;
  bool inline_sizes = false;
  int compiler_level = 0;
  bool as_real = false;
  bool wide = false;
  int vector_width_m = 0;

  friend bool operator==(const KernelParams&, const KernelParams&) = default;
};

/// Elements of a vector along m, in which a tiled kernel reads A. Along n it is vector_width.
constexpr int width_along_m(const KernelParams& params) {
  return params.vector_width_m > 0 ? params.vector_width_m : params.vector_width;
}

constexpr bool is_by_integers(const KernelParams& params) {
  return params.matrix >= MatrixUnit::integers;
}

/// Whether a kernel takes an operand packed: if its parameters say so, or if its family cannot read
/// this op in place. A panel kernel reads single elements of op(A) along k and vectors along the
/// columns of op(B). Transposed operands have these far apart in memory: packing them first is
/// faster at all sizes.
constexpr bool packs_a(const KernelParams& params, Op op_a) {
  return params.pack_a || (params.family == KernelFamily::panel && op_a != Op::none);
}
constexpr bool packs_b(const KernelParams& params, Op op_b) {
  return params.pack_b || (params.family == KernelFamily::panel && op_b != Op::none);
}

}  // namespace duoblas

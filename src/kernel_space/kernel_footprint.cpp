#include "kernel_space/kernel_footprint.hpp"

#include <algorithm>

#include "problem/rounding.hpp"

namespace duoblas {
namespace {

bool is_panel(const KernelParams& p) {
  return p.family == KernelFamily::panel;
}

int element_bytes(Precision precision) {
  return static_cast<int>(element_size(precision));
}

int widest_vector(const KernelParams& p) {
  return std::max(p.vector_width, width_along_m(p));
}

// Elements between two lines of a slice in local memory, as in kernels/tiled_local.clh. Whether an
// operand lies along k depends on its op: the wider of both is counted.
int slice_pitch(int tile, bool packed, const KernelParams& p, Precision precision) {
  if (packed) return tile;
  if (p.matrix != MatrixUnit::none) return tile + 32 / element_bytes(precision);
  return tile + widest_vector(p);
}

// The elements of one slice, in whole vectors of the widest and 16 bytes of copies, as in
// kernels/tiled.cl.
std::int64_t slice_elements(int tile, bool packed, const KernelParams& p, Precision precision) {
  const int copied = p.async_copy ? std::max(1, 16 / element_bytes(precision)) : 1;
  return round_up(std::int64_t{slice_pitch(tile, packed, p, precision)} * p.k_unroll,
                  std::max(widest_vector(p), copied));
}

// Of kernels/integers_*.clh: the sums, what an instruction is given, and a share of a slice.
int live_words_of_bytes(const KernelParams& p) {
  const int sums = p.tile_rows * p.tile_cols, items = p.group_rows * p.group_cols;
  if (p.wide) return sums;
  const int lines = p.group_rows * p.tile_rows + p.group_cols * p.tile_cols;
  const int waiting = p.async_copy ? 0 : lines * p.k_unroll / items;
  if (p.matrix == MatrixUnit::integers_matrix)
    return sums + 2 * p.tile_rows + p.tile_cols + waiting;
  // The compiler takes a word of four at a time where registers are few.
  return sums + p.tile_rows + 4 * p.tile_cols + waiting;
}

}  // namespace

Precision loop_precision(const KernelParams& p, Precision precision) {
  if (!p.as_real) return precision;
  return is_double(precision) ? Precision::d : Precision::s;
}

int live_vectors(const KernelParams& p, Precision precision) {
  // Per vector of the tile's row one vector of B; a broadcast of A; complex values take one
  // accumulator for the real and one for the imaginary part of A.
  const int vectors = p.tile_cols / p.vector_width;
  return p.tile_rows * vectors * reals_of(precision) + vectors + 1;
}

int slice_depth(const KernelParams& p) {
  return is_by_integers(p) ? 4 * p.k_unroll : p.k_unroll;
}

int steps_per_turn(const KernelParams& p, Precision of_elements) {
  const Precision precision = loop_precision(p, of_elements);
  return p.matrix == MatrixUnit::none ? 1 : 64 / element_bytes(precision);
}

int live_words(const KernelParams& p, Precision of_elements) {
  if (is_by_integers(p)) return live_words_of_bytes(p);
  // The sums, and those of one slice and 128 columns.
  if (p.wide) return p.tile_rows * p.tile_cols + 64;
  const Precision precision = loop_precision(p, of_elements);
  const int words = element_bytes(precision) / 4;
  const int sums = p.tile_rows * p.tile_cols;
  int step = p.tile_rows + p.tile_cols;
  // A work-item reads 16 bytes of each row, and of each eighth column of its block.
  if (p.matrix != MatrixUnit::none)
    step = (p.tile_rows + p.tile_cols / 2) * 16 / element_bytes(precision);
  // With asynchronous copies one operand at most goes through registers in most products.
  const int items = p.group_rows * p.group_cols;
  const int a = p.local_a ? p.group_rows * p.tile_rows * p.k_unroll / items : 0;
  const int b = p.local_b ? p.group_cols * p.tile_cols * p.k_unroll / items : 0;
  int waiting = a + b;
  if (p.async_copy)
    waiting = p.matrix != MatrixUnit::none ? 0 : std::max(p.pack_a ? 0 : a, p.pack_b ? 0 : b);
  if (p.shuffle) waiting += p.tile_rows * p.k_unroll / p.group_cols;
  return words * (sums + (p.fragments ? 2 : 1) * step + waiting);
}

int register_share(const KernelParams& p) {
  constexpr int file = 65536, granule = 8, most = 255;
  if (p.resident_groups == 0) return 0;
  const int items = p.group_rows * p.group_cols * p.group_depth;
  return std::min(most, file / (p.resident_groups * items) / granule * granule);
}

std::int64_t local_bytes(const KernelParams& p, Precision of_elements) {
  const Precision precision = loop_precision(p, of_elements);
  if (is_panel(p)) return 0;
  if (is_by_integers(p)) {
    const std::int64_t lines = p.group_rows * p.tile_rows + p.group_cols * p.tile_cols;
    return (p.prefetch + 1) * (lines * slice_depth(p) + (p.wide ? 16 : 0));
  }
  // High and low parts of each number, and two marks of 8 bytes for each slot.
  if (p.wide) {
    const std::int64_t lines = p.group_rows * p.tile_rows + p.group_cols * p.tile_cols;
    return (p.prefetch + 1) * (lines * p.k_unroll * 2 * element_bytes(precision) + 16);
  }
  std::int64_t elements = 0;
  if (p.local_a) elements += slice_elements(p.group_rows * p.tile_rows, p.pack_a, p, precision);
  if (p.local_b) elements += slice_elements(p.group_cols * p.tile_cols, p.pack_b, p, precision);
  const std::int64_t slices = (p.prefetch + 1) * elements * p.group_depth;
  // Where teams' sums are added half of them lie there.
  const std::int64_t sums = p.group_rows * p.tile_rows * p.group_cols * p.tile_cols;
  // With split_last the group's number, too (kernels/tiled.cl).
  const std::int64_t number = p.split_last ? 4 : 0;
  return std::max(slices, sums * (p.group_depth / 2)) * element_bytes(precision) + number;
}

std::int64_t unrolled_madds(const KernelParams& p, Precision of_elements) {
  const Precision precision = loop_precision(p, of_elements);
  const std::int64_t madds = std::int64_t{reals_of(precision)} * reals_of(precision) * p.tile_rows *
                             p.tile_cols * p.k_unroll;
  return is_panel(p) ? madds / p.vector_width : madds;
}

std::int64_t code_length(const KernelParams& p, Precision of_elements) {
  const Precision precision = loop_precision(p, of_elements);
  const int numbers = reals_of(precision);
  const int sums = p.tile_rows * p.tile_cols * numbers;
  const int direct = (p.local_a ? 0 : p.tile_rows) + (p.local_b ? 0 : p.tile_cols);
  return unrolled_madds(p, precision) / 4 + (p.group_depth > 1 ? 4 : 2) * sums +
         direct * p.k_unroll * numbers;
}

}  // namespace duoblas

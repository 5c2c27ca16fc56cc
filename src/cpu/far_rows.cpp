#include "cpu/far_rows.hpp"

#include <algorithm>

#include "problem/host_rect.hpp"
#include "problem/partition.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t farthest = std::int64_t{1} << 27;  // 15 rows further on are 2^31 elements
constexpr double most_of_small = 1e6;                     // m n k, of OpenBLAS's kernels for them
constexpr std::int64_t block = 64;

void copy(const HostRect& from, const HostRect& to) {
  copy_rows(to.data, to.pitch, from.data, from.pitch, from.rows, from.row_bytes);
}

}  // namespace

bool has_rows_too_far_apart(const GemmProblem& p) {
  return p.precision == Precision::s && p.ldc > farthest &&
         static_cast<double>(p.m) * static_cast<double>(p.n) * static_cast<double>(p.k) <=
             most_of_small;
}

void multiply_near(const GemmProblem& p, const std::function<void(const GemmProblem&)>& multiply) {
  alignas(64) float sums[block * block];
  for (std::int64_t row = 0; row < p.m; row += block)
    for (std::int64_t column = 0; column < p.n; column += block) {
      GemmProblem near = block_of(p, {row, std::min(block, p.m - row)},
                                  {column, std::min(block, p.n - column)}, {0, p.k});
      const HostRect far = rect_of_c(near);
      near.c = sums;
      near.ldc = near.n;
      if (!near.overwrites_c()) copy(far, rect_of_c(near));
      multiply(near);
      copy(rect_of_c(near), far);
    }
}

}  // namespace duoblas

#include "cpu/pieces.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "problem/host_rect.hpp"
#include "problem/partition.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// Rows of `from`, one behind the other without gaps.
std::vector<std::byte> packed(const HostRect& from) {
  std::vector<std::byte> to(from.rows * from.row_bytes);
  copy_rows(to.data(), from.row_bytes, from.data, from.pitch, from.rows, from.row_bytes);
  return to;
}

// A leading dimension that a 32-bit integer cannot hold: the operand is copied.
void run_within_ld(GemmProblem p, std::int64_t max_ld,
                   const std::function<void(const GemmProblem&)>& run) {
  std::vector<std::byte> a, b, c;
  if (p.lda > max_ld) {
    a = packed(rect_of_a(p));
    p.a = a.data();
    p.lda = stored_cols_a(p);
  }
  if (p.ldb > max_ld) {
    b = packed(rect_of_b(p));
    p.b = b.data();
    p.ldb = stored_cols_b(p);
  }
  if (p.ldc <= max_ld) return run(p);
  GemmProblem inner = p;
  const HostRect outer_c = rect_of_c(p);
  c.resize(outer_c.rows * outer_c.row_bytes);
  if (!p.overwrites_c()) c = packed(outer_c);
  inner.c = c.data();
  inner.ldc = p.n;
  run(inner);
  copy_rows(outer_c.data, outer_c.pitch, c.data(), outer_c.row_bytes, outer_c.rows,
            outer_c.row_bytes);
}

// A step that covers `extent` in equal parts of at most `most`, so that no piece is a sliver.
std::int64_t even_step(std::int64_t extent, std::int64_t most) {
  return parts(extent, parts(extent, std::clamp<std::int64_t>(most, 1, extent)));
}

}  // namespace

void for_each_piece(const GemmProblem& p, const PieceLimits& limits,
                    const std::function<void(const GemmProblem&)>& run) {
  const bool copies = std::max({p.lda, p.ldb, p.ldc}) > limits.leading_dimension;
  const std::int64_t most = copies ? std::min(limits.extent, limits.copied_extent) : limits.extent;
  const std::int64_t k_step = even_step(p.k, most);
  // Rows first: a slab of whole rows of C is what the BLAS's threads share best. 256 rows still
  // keep every thread busy; below that columns are cut.
  const double per_flops = is_complex(p.precision) ? 8.0 : 2.0;
  const double area = std::max(1.0, limits.flops / (per_flops * static_cast<double>(k_step)));
  const auto bounded = [&](double x) {
    return static_cast<std::int64_t>(std::min(x, static_cast<double>(most)));
  };
  const std::int64_t m_step =
      even_step(p.m, bounded(std::max(std::min(256.0, area), area / static_cast<double>(p.n))));
  const std::int64_t n_step = even_step(p.n, bounded(area / static_cast<double>(m_step)));
  for (std::int64_t i = 0; i < p.m; i += m_step)
    for (std::int64_t j = 0; j < p.n; j += n_step)
      for (std::int64_t l = 0; l < p.k; l += k_step) {
        GemmProblem piece =
            block_of(p, {i, std::min(m_step, p.m - i)}, {j, std::min(n_step, p.n - j)},
                     {l, std::min(k_step, p.k - l)});
        if (l > 0) piece.beta = 1.0;
        run_within_ld(piece, limits.leading_dimension, run);
      }
}

}  // namespace duoblas

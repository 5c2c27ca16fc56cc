// A column-major matrix in blocks, with the products, solves and exchanges between blocks that
// factorisations consist of. The CPU does all of it, in place, before a function returns.
#pragma once

#include <cstdint>

#include "cpu/lu_panel.hpp"
#include "cpu/triangle_inverse.hpp"
#include "engine/engine.hpp"
#include "lapack/division.hpp"
#include "lapack/panel_threads.hpp"
#include "problem/caller_level3.hpp"
#include "problem/lapack_problem.hpp"
#include "sides/cpu_config.hpp"

namespace duoblas {

using LuThreads = PanelThreads<LuPanel>;

struct Block {
  std::int64_t row = 0, column = 0, rows = 0, columns = 0;

  bool empty() const { return rows <= 0 || columns <= 0; }
};

/// Where C of a product lies in a matrix: a product's rows are columns there.
inline Block block_of_c(const LapackProblem& matrix, const GemmProblem& product) {
  const auto bytes = static_cast<const char*>(product.c) - static_cast<const char*>(matrix.a);
  const auto offset = bytes / static_cast<std::int64_t>(element_size(matrix.precision));
  return {offset % matrix.lda, offset / matrix.lda, product.n, product.m};
}

/// A square block of which a triangle is solved with.
struct Triangle {
  Block block;
  Side side = Side::left;
  Uplo uplo = Uplo::lower;
  Op op = Op::none;
  Diag diag = Diag::non_unit;
};
/// L of so many columns of an LU factorisation.
inline Triangle unit_lower(std::int64_t first, std::int64_t columns) {
  return {{first, first, columns, columns}, Side::left, Uplo::lower, Op::none, Diag::unit};
}

/// Inverses of the diagonal blocks of a triangle that begins at line `first`.
struct InvertedBlocks {
  TriangleInverses inverses;
  std::int64_t first = 0;
};

/// One matrix, and operations on its blocks, on the CPU's cores of `cpu`.
class BlockSteps {
 public:
  BlockSteps(Engine& engine, const LapackProblem& whole, const CpuConfig& cpu)
      : engine_(engine), p_(whole), cpu_(cpu) {}

  /// From now on this team does all but factorise_lu(), solve() and factorise_cholesky() of more
  /// lines than a panel has; null: the CPU BLAS's own threads do.
  void use(const TeamBlas* team) { team_ = team; }

  void* at(std::int64_t row, std::int64_t column) const {
    return element_of(p_.a, p_.lda, row, column, p_.precision);
  }

  /// c -= op(a) op(b), as a row-major product.
  GemmProblem product(const Block& c, const Block& a, Op op_a, const Block& b, Op op_b) const;
  void multiply(const GemmProblem& product) const;
  /// The lower or upper triangle of the square block c -= op(a) op(a)^H, op none or adjoint().
  void update_triangle(const Block& c, Uplo uplo, const Block& a, Op op) const;
  /// x = inv(op(triangle)) x, or x inv(op(triangle)).
  void solve(const Triangle& triangle, const Block& x) const;
  /// The same by products and inverses of 64 lines (cpu/triangle_inverse), where OpenBLAS's trsm is
  /// slow: with one core of a Xeon of Granite Rapids' class and 256 lines it had 18 GFLOPS in
  /// dgetrf of 2048, and dgemm 86.
  void solve_by_halves(const Triangle& triangle, const Block& x) const;
  /// The lines of these inverses. In LU each leaf of a panel has one.
  static constexpr std::int64_t solved_leaf = narrow_panel;
  /// Rows of U beside these columns of L, in other columns: exchanges rows as the panel did, and
  /// solves with what is inverted of L.
  void complete_rows(const Interval& panel, const Interval& columns,
                     const InvertedBlocks& inverted) const;
  /// Makes the inverse of a diagonal block, of solved_leaf lines at most.
  void invert(const Block& block, InvertedBlocks& inverted) const;

  /// getrf of a block, whose pivots become rows of the whole matrix. Returns the column of the
  /// first zero pivot in the block, counted from 1; 0: none. `threads` factorise the blocks that
  /// suit them; null: the CPU BLAS does. `inverted`: gets the inverse of this block's L; or null.
  int factorise_lu(const Block& block, const LuThreads* threads, InvertedBlocks* inverted) const;
  /// The same with all rows of the block's columns in memory of their own, column-major without
  /// gaps. `is_there`: they were copied there already. `inverse`: made too where `threads` do the
  /// block and have one; or null.
  int factorise_lu_apart(const Block& block, void* columns, bool is_there, const LuThreads* threads,
                         PanelInverse* inverse) const;
  int factorise_cholesky(const Block& block) const;
  /// Factorises a separate matrix.
  int factorise_cholesky(void* block, std::int64_t ld, std::int64_t order) const;
  /// Exchanges rows first to last - 1 with their pivots, in these columns.
  void swap_rows(std::int64_t first, std::int64_t last, std::int64_t column,
                 std::int64_t columns) const;
  /// The same in columns of a separate matrix.
  void swap_rows(std::int64_t first, std::int64_t last, void* matrix, std::int64_t ld,
                 std::int64_t columns) const;

 private:
  int factorise_lu(const Block& block, LapackProblem part, const LuPanel::Source& from,
                   const LuThreads* threads, PanelInverse* inverse) const;
  /// `swaps`: x has rows that are exchanged first, as the triangle's panel did.
  void solve_with(const InvertedBlocks& inverted, const Triangle& triangle, const Block& x,
                  bool swaps) const;
  /// A solve with L from the inverted blocks' first line on, to the end of this block.
  Level3Problem lower_up_to(const Block& block, const InvertedBlocks& inverted) const;
  Level3Problem triangle_update(const Block& c, Uplo uplo, const Block& a, Op op) const;
  Level3Problem triangular_solve(const Triangle& triangle, const Block& x) const;

  Engine& engine_;
  const LapackProblem& p_;
  const CpuConfig cpu_;
  const TeamBlas* team_ = nullptr;
};

}  // namespace duoblas

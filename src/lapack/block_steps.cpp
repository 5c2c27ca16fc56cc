#include "lapack/block_steps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>

#include "cpu/triangle_inverse.hpp"
#include "lapack/row_exchanges.hpp"
#include "problem/caller_gemm.hpp"
#include "problem/rounding.hpp"

namespace duoblas {

GemmProblem BlockSteps::product(const Block& c, const Block& a, Op op_a, const Block& b,
                                Op op_b) const {
  CallerGemm call;
  call.layout = Layout::column_major;
  GemmProblem& g = call.args;
  g.precision = p_.precision;
  g.op_a = op_a;
  g.op_b = op_b;
  g.m = c.rows;
  g.n = c.columns;
  g.k = op_a == Op::none ? a.columns : a.rows;
  g.alpha = -1.0;
  g.beta = 1.0;
  g.a = at(a.row, a.column);
  g.b = at(b.row, b.column);
  g.c = at(c.row, c.column);
  g.lda = g.ldb = g.ldc = p_.lda;
  return to_row_major(call);
}

void BlockSteps::multiply(const GemmProblem& product) const {
  if (team_ != nullptr) return team_->multiply(product);
  engine_.cpu().run(product, cpu_);
}

Level3Problem BlockSteps::triangle_update(const Block& c, Uplo uplo, const Block& a, Op op) const {
  CallerLevel3 call;
  call.layout = Layout::column_major;
  Level3Problem& s = call.args;
  s.routine = is_complex(p_.precision) ? Routine::herk : Routine::syrk;
  s.precision = p_.precision;
  s.uplo = uplo;
  s.op = op;
  s.m = s.n = c.rows;
  s.k = op == Op::none ? a.columns : a.rows;
  s.alpha = -1.0;
  s.beta = 1.0;
  s.a = at(a.row, a.column);
  s.c = at(c.row, c.column);
  s.lda = s.ldc = p_.lda;
  return to_row_major(call);
}

void BlockSteps::update_triangle(const Block& c, Uplo uplo, const Block& a, Op op) const {
  if (c.empty()) return;
  const Level3Problem update = triangle_update(c, uplo, a, op);
  if (team_ != nullptr) return team_->update_triangle(update);
  engine_.cpu().run(update, cpu_);
}

Level3Problem BlockSteps::triangular_solve(const Block& triangle, Side side, Uplo uplo, Op op,
                                           Diag diag, const Block& x) const {
  CallerLevel3 call;
  call.layout = Layout::column_major;
  Level3Problem& s = call.args;
  s.routine = Routine::trsm;
  s.precision = p_.precision;
  s.side = side;
  s.uplo = uplo;
  s.op = op;
  s.diag = diag;
  s.m = x.rows;
  s.n = x.columns;
  s.a = at(triangle.row, triangle.column);
  s.c = at(x.row, x.column);
  s.lda = s.ldc = p_.lda;
  return to_row_major(call);
}

void BlockSteps::solve(const Block& triangle, Side side, Uplo uplo, Op op, Diag diag,
                       const Block& x) const {
  if (!x.empty()) engine_.cpu().run(triangular_solve(triangle, side, uplo, op, diag, x), cpu_);
}

template <typename Blas>
void BlockSteps::solve_by_halves(const Blas& blas, const Block& triangle, Side side, Uplo uplo,
                                 Op op, Diag diag, const Block& x) const {
  const std::int64_t order = triangle.columns, row = triangle.row, column = triangle.column;
  if (order <= solved_leaf)
    return blas.solve(triangular_solve(triangle, side, uplo, op, diag, x), row);
  const std::int64_t half = round_up(order / 2, solved_leaf), others = order - half;
  Block known = x, rest = x;
  if (side == Side::left) {
    known.rows = half;
    rest.row += half;
    rest.rows -= half;
  } else {
    known.columns = half;
    rest.column += half;
    rest.columns -= half;
  }
  const Block beside = uplo == Uplo::lower ? Block{row + half, column, others, half}
                                           : Block{row, column + half, half, others};
  solve_by_halves(blas, {row, column, half, half}, side, uplo, op, diag, known);
  blas.multiply(side == Side::left ? product(rest, beside, op, known, Op::none)
                                   : product(rest, known, Op::none, beside, op));
  solve_by_halves(blas, {row + half, column + half, others, others}, side, uplo, op, diag, rest);
}

// One thread of a team. The inverses are those of the blocks from line `first` on.
struct BlockSteps::OneThread {
  BlasInstance& blas;
  const TriangleInverses& inverses;
  std::int64_t first;
  void multiply(const GemmProblem& product) const { blas.gemm(product); }
  void solve(const Level3Problem& leaf_of, std::int64_t row) const {
    inverses.solve_with(
        leaf_of, row - first, [&](const GemmProblem& product) { blas.gemm(product); },
        [&](const Level3Problem& step) { blas.run(step); });
  }
};

void BlockSteps::solve_by_halves(const Block& triangle, Side side, Uplo uplo, Op op, Diag diag,
                                 const Block& x) const {
  if (x.empty()) return;
  struct OwnThreads {
    const BlockSteps& steps;
    void multiply(const GemmProblem& product) const { steps.multiply(product); }
    void solve(const Level3Problem& leaf_of, std::int64_t) const {
      steps.engine_.cpu().solve_by_inverse(leaf_of, steps.cpu_);
    }
  };
  if (team_ == nullptr)
    return solve_by_halves(OwnThreads{*this}, triangle, side, uplo, op, diag, x);
  const TriangleInverses inverses(triangular_solve(triangle, side, uplo, op, diag, x), solved_leaf);
  const auto strip = [&](const Interval& of) {
    Block part = x;
    if (side == Side::left) {
      part.column += of.first;
      part.columns = of.count;
    } else {
      part.row += of.first;
      part.rows = of.count;
    }
    solve_by_halves(OneThread{team_->blas(), inverses, triangle.row}, triangle, side, uplo, op,
                    diag, part);
  };
  team_->in_strips(side == Side::left ? x.columns : x.rows, std::cref(strip));
}

LapackProblem BlockSteps::exchanges(std::int64_t first, std::int64_t last, void* matrix,
                                    std::int64_t ld, std::int64_t columns) const {
  LapackProblem swaps = p_;
  swaps.routine = LapackRoutine::laswp;
  swaps.n = columns;
  swaps.a = matrix;
  swaps.lda = ld;
  swaps.first_row = first;
  swaps.last_row = last;
  return swaps;
}

void BlockSteps::complete_rows(const Interval& panel, const Interval& columns,
                               const InvertedBlocks& inverted) const {
  if (columns.count <= 0) return;
  const std::int64_t first = panel.first, end = panel.first + panel.count;
  const Block l{first, first, panel.count, panel.count};
  const auto solve_with = [&](const auto& blas, const Interval& in) {
    solve_by_halves(blas, l, Side::left, Uplo::lower, Op::none, Diag::unit,
                    {first, in.first, panel.count, in.count});
  };
  if (team_ != nullptr) {
    const auto strip = [&](const Interval& of) {
      const Interval in{columns.first + of.first, of.count};
      exchange_rows(exchanges(first, end, at(0, in.first), p_.lda, in.count));
      solve_with(OneThread{team_->blas(), inverted.inverses, inverted.first}, in);
    };
    return team_->in_strips(columns.count, std::cref(strip));
  }
  struct OwnThreads {
    const BlockSteps& steps;
    const InvertedBlocks& inverted;
    void multiply(const GemmProblem& product) const { steps.multiply(product); }
    void solve(const Level3Problem& leaf_of, std::int64_t row) const {
      inverted.inverses.solve_with(
          leaf_of, row - inverted.first,
          [&](const GemmProblem& product) { steps.multiply(product); },
          [&](const Level3Problem& step) { steps.engine_.cpu().run(step, steps.cpu_); });
    }
  };
  swap_rows(first, end, columns.first, columns.count);
  solve_with(OwnThreads{*this, inverted}, columns);
}

Level3Problem BlockSteps::lower_up_to(const Block& block, const InvertedBlocks& inverted) const {
  const std::int64_t first = inverted.first, lines = block.row + block.columns - first;
  const Block l{first, first, lines, lines};
  return triangular_solve(l, Side::left, Uplo::lower, Op::none, Diag::unit, l);
}

void BlockSteps::invert(const Block& block, InvertedBlocks& inverted) const {
  inverted.inverses.make(lower_up_to(block, inverted), block.row - inverted.first);
}

int BlockSteps::factorise_lu(const Block& block, const LuThreads* threads,
                             InvertedBlocks* inverted) const {
  LapackProblem part = p_;
  part.a = at(block.row, block.column);
  const LuPanel::Source from{part.a, part.lda};
  if (inverted == nullptr) return factorise_lu(block, part, from, threads, nullptr);
  const std::int64_t line = block.row - inverted->first;
  PanelInverse inverse = inverted->inverses.place_of(line);
  const int info =
      factorise_lu(block, part, from, threads, inverse.columns != nullptr ? &inverse : nullptr);
  inverted->inverses.note(lower_up_to(block, *inverted), line, inverse);
  // Of complex types, or where the CPU BLAS factorised it.
  if (std::isinf(inverse.condition)) invert(block, *inverted);
  return info;
}

int BlockSteps::factorise_lu_apart(const Block& block, void* columns, bool is_there,
                                   const LuThreads* threads, PanelInverse* inverse) const {
  LapackProblem part = p_;
  part.a = element_of(columns, p_.m, block.row, 0, p_.precision);
  part.lda = p_.m;
  LuPanel::Source from{part.a, part.lda};
  if (!is_there) from = {at(block.row, block.column), p_.lda};
  return factorise_lu(block, part, from, threads, inverse);
}

int BlockSteps::factorise_lu(const Block& block, LapackProblem part, const LuPanel::Source& from,
                             const LuThreads* threads, PanelInverse* inverse) const {
  part.routine = LapackRoutine::getrf;
  part.m = block.rows;
  part.n = block.columns;
  part.pivots = p_.pivots + block.row;
  int info = 0;
  bool is_done = false;
  if (threads != nullptr && threads->suits(part)) try {
      info = threads->factorise(part, from, inverse);
      is_done = true;
    } catch (const std::bad_alloc&) {
      // Nothing was written yet.
    }
  if (!is_done) {
    if (from.a != part.a)
      for (std::int64_t j = 0; j < block.columns; ++j)
        std::memcpy(element_of(part.a, part.lda, 0, j, p_.precision),
                    element_of(const_cast<void*>(from.a), from.lda, 0, j, p_.precision),
                    static_cast<std::size_t>(block.rows) * element_size(p_.precision));
    info = engine_.cpu().run(part, cpu_);
  }
  const std::int64_t pivots = std::min(block.rows, block.columns);
  for (std::int64_t i = 0; i < pivots; ++i) part.pivots[i] += static_cast<std::int32_t>(block.row);
  return info;
}

int BlockSteps::factorise_cholesky(const Block& block) const {
  return factorise_cholesky(at(block.row, block.column), p_.lda, block.columns);
}

// The widest panel of Cholesky (division.hpp). The rest that is left once the device has no more
// updates may be several times as large.
constexpr std::int64_t most_by_one_thread = 256;

int BlockSteps::factorise_cholesky(void* block, std::int64_t ld, std::int64_t order) const {
  LapackProblem part = p_;
  part.routine = LapackRoutine::potrf;
  part.n = order;
  part.a = block;
  part.lda = ld;
  if (team_ != nullptr && order <= most_by_one_thread) return team_->factorise(part);
  return engine_.cpu().run(part, cpu_);
}

void BlockSteps::swap_rows(std::int64_t first, std::int64_t last, std::int64_t column,
                           std::int64_t columns) const {
  swap_rows(first, last, at(0, column), p_.lda, columns);
}

void BlockSteps::swap_rows(std::int64_t first, std::int64_t last, void* matrix, std::int64_t ld,
                           std::int64_t columns) const {
  if (columns <= 0 || last <= first) return;
  if (team_ != nullptr) {
    const auto strip = [&](const Interval& of) {
      void* const part = element_of(matrix, ld, 0, of.first, p_.precision);
      exchange_rows(exchanges(first, last, part, ld, of.count));
    };
    return team_->in_strips(columns, std::cref(strip));
  }
  engine_.cpu().run(exchanges(first, last, matrix, ld, columns), cpu_);
}

}  // namespace duoblas

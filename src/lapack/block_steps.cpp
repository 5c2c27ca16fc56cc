#include "lapack/block_steps.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>

#include "cpu/triangle_inverse.hpp"
#include "lapack/block_reflector.hpp"
#include "lapack/row_exchanges.hpp"

namespace duoblas {

GemmProblem BlockSteps::product(const Block& c, const Block& a, Op op_a, const Block& b,
                                Op op_b) const {
  const std::int64_t depth = op_a == Op::none ? a.columns : a.rows;
  return row_major(p_.precision, {c.rows,
                                  c.columns,
                                  depth,
                                  {at(a.row, a.column), p_.lda, op_a},
                                  {at(b.row, b.column), p_.lda, op_b},
                                  at(c.row, c.column),
                                  p_.lda,
                                  -1,
                                  1});
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

Level3Problem BlockSteps::triangular_solve(const Triangle& triangle, const Block& x) const {
  CallerLevel3 call;
  call.layout = Layout::column_major;
  Level3Problem& s = call.args;
  s.routine = Routine::trsm;
  s.precision = p_.precision;
  s.side = triangle.side;
  s.uplo = triangle.uplo;
  s.op = triangle.op;
  s.diag = triangle.diag;
  s.m = x.rows;
  s.n = x.columns;
  s.a = at(triangle.block.row, triangle.block.column);
  s.c = at(x.row, x.column);
  s.lda = s.ldc = p_.lda;
  return to_row_major(call);
}

void BlockSteps::solve(const Triangle& triangle, const Block& x) const {
  if (!x.empty()) engine_.cpu().run(triangular_solve(triangle, x), cpu_);
}

void BlockSteps::solve_with(const InvertedBlocks& inverted, const Triangle& triangle,
                            const Block& x, bool swaps) const {
  const bool from_left = triangle.side == Side::left;
  const std::int64_t first = triangle.block.row, end = first + triangle.block.rows;
  const auto solve_part = [&](const Block& part, const auto& product, const auto& run) {
    inverted.inverses.solve_with(triangular_solve(triangle, part), first - inverted.first, product,
                                 run);
  };
  if (team_ == nullptr) {
    if (swaps) swap_rows(first, end, x.column, x.columns);
    return solve_part(
        x, [&](const GemmProblem& product) { multiply(product); },
        [&](const Level3Problem& step) { engine_.cpu().run(step, cpu_); });
  }
  const auto strip = [&](const Interval& of) {
    Block part = x;
    (from_left ? part.column : part.row) += of.first;
    (from_left ? part.columns : part.rows) = of.count;
    if (swaps)
      exchange_rows(exchanges(p_, {first, end - first}, at(0, part.column), p_.lda, part.columns));
    BlasInstance& blas = team_->blas();  // of one thread
    solve_part(
        part, [&](const GemmProblem& product) { blas.gemm(product); },
        [&](const Level3Problem& step) { blas.run(step); });
  };
  team_->in_strips(from_left ? x.columns : x.rows, std::cref(strip));
}

void BlockSteps::solve_by_halves(const Triangle& triangle, const Block& x) const {
  if (x.empty()) return;
  solve_with({TriangleInverses(triangular_solve(triangle, x), solved_leaf), triangle.block.row},
             triangle, x, false);
}

void BlockSteps::complete_rows(const Interval& panel, const Interval& columns,
                               const InvertedBlocks& inverted) const {
  if (columns.count <= 0) return;
  const std::int64_t first = panel.first;
  solve_with(inverted, unit_lower(first, panel.count),
             {first, columns.first, panel.count, columns.count}, true);
}

Level3Problem BlockSteps::lower_up_to(const Block& block, const InvertedBlocks& inverted) const {
  const std::int64_t first = inverted.first, lines = block.row + block.columns - first;
  return triangular_solve(unit_lower(first, lines), {first, first, lines, lines});
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
  if (threads != nullptr && threads->panel->suits(part)) try {
      info = threads->panel->factorise(part, from, inverse);
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
      exchange_rows(exchanges(p_, {first, last - first}, part, ld, of.count));
    };
    return team_->in_strips(columns, std::cref(strip));
  }
  engine_.cpu().run(exchanges(p_, {first, last - first}, matrix, ld, columns), cpu_);
}

}  // namespace duoblas

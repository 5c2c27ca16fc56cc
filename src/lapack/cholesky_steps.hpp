// Lines, rows and columns of a Cholesky factorisation, and the CPU's steps of it.
//
// potrf: L L^H = A for a lower triangle. For an upper one it is U^H U = A, which is the mirror
// image. Lines, rows and columns here are those of the lower triangle.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <new>

#include "cpu/cholesky_block.hpp"
#include "lapack/block_steps.hpp"
#include "lapack/division.hpp"
#include "lapack/factorisation.hpp"
#include "lapack/saved_matrix.hpp"
#include "problem/adjoint.hpp"

namespace duoblas {

/// A block of the lower triangle.
struct Rectangle {
  Lines rows, columns;
};

/// One factorisation in progress.
class Cholesky {
 public:
  Cholesky(Engine& engine, const LapackProblem& p, std::int64_t panel_width, const CpuConfig& cpu)
      : p_(p), width_(panel_width), steps_(engine, p, cpu) {}

  /// As BlockSteps::use().
  void use(const TeamBlas* team) { steps_.use(team); }

  std::int64_t order() const { return p_.n; }
  const LapackProblem& problem() const { return p_; }
  Lines panel_at(std::int64_t first) const { return {first, std::min(first + width_, p_.n)}; }

  /// The panel's update of these rows and columns. The rows are not before the columns.
  GemmProblem update(const Lines& panel, const Lines& rows, const Lines& columns) const {
    if (is_lower())
      return steps_.product(block(rows, columns), block(rows, panel), Op::none,
                            block(columns, panel), adjoint(p_.precision));
    return steps_.product(block(rows, columns), block(columns, panel), adjoint(p_.precision),
                          block(rows, panel), Op::none);
  }
  /// The rectangle that is C of an update or of a part of one.
  Rectangle rectangle_of(const GemmProblem& part) const {
    const Block c = block_of_c(p_, part);
    const Lines across{c.column, c.column + c.columns}, down{c.row, c.row + c.rows};
    return is_lower() ? Rectangle{down, across} : Rectangle{across, down};
  }
  void update_rectangle(const Lines& panel, const Lines& rows, const Lines& columns) const {
    if (rows.count() > 0 && columns.count() > 0) steps_.multiply(update(panel, rows, columns));
  }
  void update_triangle(const Lines& panel, const Lines& lines) const {
    steps_.update_triangle(block(lines, lines), p_.uplo, block(lines, panel),
                           is_lower() ? Op::none : adjoint(p_.precision));
  }
  void update_columns(const Lines& panel, const Lines& columns) const {
    update_triangle(panel, columns);
    update_rectangle(panel, {columns.end, p_.n}, columns);
  }

  /// Returns false if the matrix is not positive definite; info() then says where.
  bool factorise(const Lines& panel) {
    factorise_diagonal(panel);
    if (info_ == 0) solve_below(panel);
    return info_ == 0;
  }
  /// Whether there is memory for factorise_block().
  bool can_factorise_blocks() noexcept {
    try {
      if (!is_complex(p_.precision))
        block_ = std::make_unique<CholeskyBlock>(p_.precision, p_.uplo, width_);
    } catch (const std::bad_alloc&) {
      return false;
    }
    return true;
  }
  /// Factorises a panel's block on the diagonal, in separate memory. Returns false as above.
  bool factorise_block(void* block, const Lines& panel) {
    const int info = block_ ? block_->factorise(block, width_, panel.count())
                            : steps_.factorise_cholesky(block, width_, panel.count());
    if (info > 0) info_ = info + static_cast<int>(panel.first);
    return info_ == 0;
  }
  /// A panel whose block on the diagonal was found not to be positive definite: the CPU computes it
  /// from A and the panels before it, which are final. Takes no memory. Returns false as above.
  bool factorise_again(const Lines& panel) {
    const Lines before{0, panel.first};
    if (before.count() > 0) update_triangle(before, panel);
    factorise_diagonal(panel);
    if (info_ > 0) return false;
    if (before.count() > 0) update_rectangle(before, {panel.end, p_.n}, panel);
    solve_below(panel);
    return true;
  }
  /// The lines that are left to the CPU. Its library sometimes takes milliseconds to wake its
  /// threads.
  std::int64_t resident_rest() const { return block_ ? width_ : duoblas::resident_rest(width_); }
  void factorise_rest(std::int64_t first) {
    if (first == p_.n) return;
    const Lines rest{first, p_.n};
    const int info = block_ && rest.count() <= width_
                         ? block_->factorise(steps_.at(first, first), p_.lda, rest.count())
                         : steps_.factorise_cholesky(block(rest, rest));
    if (info > 0) info_ = info + static_cast<int>(first);
  }
  int info() const { return info_; }
  // After a failure the device's results say nothing about the matrix.
  void forget_info() { info_ = 0; }

 private:
  bool is_lower() const { return p_.uplo == Uplo::lower; }
  Block block(const Lines& rows, const Lines& columns) const {
    if (is_lower()) return {rows.first, columns.first, rows.count(), columns.count()};
    return {columns.first, rows.first, columns.count(), rows.count()};
  }

  void factorise_diagonal(const Lines& panel) {
    const int info = steps_.factorise_cholesky(block(panel, panel));
    info_ = info > 0 ? info + static_cast<int>(panel.first) : 0;
  }
  void solve_below(const Lines& panel) const {
    steps_.solve_by_halves({block(panel, panel), is_lower() ? Side::right : Side::left, p_.uplo,
                            adjoint(p_.precision), Diag::non_unit},
                           block({panel.end, p_.n}, panel));
  }

  const LapackProblem& p_;
  const std::int64_t width_;
  BlockSteps steps_;
  std::unique_ptr<CholeskyBlock> block_;
  int info_ = 0;
};

}  // namespace duoblas

// Lines, rows and columns of a Cholesky factorisation, and the CPU's steps of it.
//
// potrf: L L^H = A for a lower triangle. For an upper one it is U^H U = A, which is the mirror
// image. Lines, rows and columns here are those of the lower triangle.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "cpu/cholesky_block.hpp"
#include "lapack/block_steps.hpp"
#include "lapack/division.hpp"
#include "lapack/factorisation.hpp"
#include "lapack/lines.hpp"
#include "problem/adjoint.hpp"
#include "timing/stopwatch.hpp"

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
    const auto bytes = static_cast<const char*>(part.c) - static_cast<const char*>(p_.a);
    const auto offset = bytes / static_cast<std::int64_t>(element_size(p_.precision));
    // A product's rows are columns of the matrix.
    const Lines across{offset / p_.lda, offset / p_.lda + part.m},
        down{offset % p_.lda, offset % p_.lda + part.n};
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
    timed(&FactorTimes::panels, [&] {
      const int info = steps_.factorise_cholesky(block(panel, panel));
      if (info > 0)
        info_ = info + static_cast<int>(panel.first);
      else
        steps_.solve_by_halves(block(panel, panel), is_lower() ? Side::right : Side::left, p_.uplo,
                               adjoint(p_.precision), Diag::non_unit,
                               block({panel.end, p_.n}, panel));
    });
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
    timed(&FactorTimes::panels, [&] {
      const int info = block_ ? block_->factorise(block, width_, panel.count())
                              : steps_.factorise_cholesky(block, width_, panel.count());
      if (info > 0) info_ = info + static_cast<int>(panel.first);
    });
    return info_ == 0;
  }
  /// A block was found that is not positive definite. Returns whether the CPU goes on at that
  /// block, which is then as it was: at the first one, of which nothing was written yet, and where
  /// the CPU does not find the same when it computes that block from the panels so far.
  bool goes_on_at(const Lines& panel) {
    if (panel.first == 0) {
      info_ = 0;
      return true;
    }
    const std::vector<std::byte> kept = copy_of(panel);
    update_triangle({0, panel.first}, panel);
    const int info = steps_.factorise_cholesky(block(panel, panel));
    info_ = info > 0 ? info + static_cast<int>(panel.first) : 0;
    if (info_ == 0) put_back(panel, kept);
    return info_ == 0;
  }
  /// The lines that are left to the CPU. Its library sometimes takes milliseconds to wake its
  /// threads.
  std::int64_t resident_rest() const { return block_ ? width_ : duoblas::resident_rest(width_); }
  void factorise_rest(std::int64_t first) {
    if (first == p_.n) return;
    const Lines rest{first, p_.n};
    int info = 0;
    timed(&FactorTimes::panels, [&] {
      info = block_ && rest.count() <= width_
                 ? block_->factorise(steps_.at(first, first), p_.lda, rest.count())
                 : steps_.factorise_cholesky(block(rest, rest));
    });
    if (info > 0) info_ = info + static_cast<int>(first);
  }
  int info() const { return info_; }
  // After a failure the device's results say nothing about the matrix.
  void forget_info() { info_ = 0; }

  // Adds the time of `work` to one of the times.
  template <typename Work>
  void timed(double FactorTimes::*what, Work&& work) {
    times_.*what += seconds_of(work);
  }
  Factored factored() const { return {info_, times_}; }

 private:
  bool is_lower() const { return p_.uplo == Uplo::lower; }
  Block block(const Lines& rows, const Lines& columns) const {
    if (is_lower()) return {rows.first, columns.first, rows.count(), columns.count()};
    return {columns.first, rows.first, columns.count(), rows.count()};
  }

  // The whole block on the diagonal, column by column.
  std::vector<std::byte> copy_of(const Lines& panel) const {
    const std::size_t bytes = column_bytes(panel);
    std::vector<std::byte> kept(bytes * static_cast<std::size_t>(panel.count()));
    for (std::int64_t j = 0; j < panel.count(); ++j)
      std::memcpy(kept.data() + static_cast<std::size_t>(j) * bytes,
                  steps_.at(panel.first, panel.first + j), bytes);
    return kept;
  }
  // Writes only the stored triangle.
  void put_back(const Lines& panel, const std::vector<std::byte>& kept) const {
    const std::size_t element = element_size(p_.precision);
    for (std::int64_t j = 0; j < panel.count(); ++j) {
      const std::int64_t begin = is_lower() ? j : 0, end = is_lower() ? panel.count() : j + 1;
      std::memcpy(steps_.at(panel.first + begin, panel.first + j),
                  kept.data() + static_cast<std::size_t>(j) * column_bytes(panel) +
                      static_cast<std::size_t>(begin) * element,
                  static_cast<std::size_t>(end - begin) * element);
    }
  }
  std::size_t column_bytes(const Lines& panel) const {
    return static_cast<std::size_t>(panel.count()) * element_size(p_.precision);
  }

  const LapackProblem& p_;
  const std::int64_t width_;
  BlockSteps steps_;
  std::unique_ptr<CholeskyBlock> block_;
  int info_ = 0;
  FactorTimes times_;
};

}  // namespace duoblas

// Writes the steps of a level-3 job (level3_program.hpp). Private to it.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <utility>
#include <vector>

#include "gpu/level3/level3_memory.hpp"
#include "gpu/level3/level3_program.hpp"
#include "kernel_space/device_blocks.hpp"
#include "problem/rounding.hpp"

namespace duoblas {

constexpr std::int64_t end_of(Interval lines) {
  return lines.first + lines.count;
}
constexpr Interval between(std::int64_t first, std::int64_t end) {
  return {first, end - first};
}

/// Where a factor of A lies, and its op.
struct Factor {
  DevicePlace at;
  Op op = Op::none;
};

class Level3Writer {
 public:
  Level3Writer(const Level3Problem& p, const BlockSizes& sizes, MatricesInPlace in_place)
      : p_(p), sizes_(sizes), in_place_(in_place), order_(order(p)), left_(p.side == Side::left) {}

  std::vector<DeviceStep> write();

 private:
  Op mirrored() const { return is_hermitian(p_.routine) ? Op::conj_transpose : Op::transpose; }
  // trmm's C is its own B.
  bool b_is_there() const { return has_b(p_.routine) ? in_place_.b : in_place_.c; }

  /// `size` lines at a time, in the order in which lines of C are computed.
  template <typename Body>
  void for_parts(Interval lines, std::int64_t size, Body&& body) const {
    const std::int64_t count = parts(lines.count, size);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = lines.first + (from_the_end(p_) ? count - 1 - i : i) * size;
      body(between(first, std::min(end_of(lines), first + size)));
    }
  }
  template <typename Body>
  void for_blocks(Body&& body) const {
    for_parts(between(0, order_), sizes_.block, body);
  }

  /// The lines of a triangular block in steps, each with the lines that it has elements with.
  /// `later`: those from its first one on, otherwise those up to its last one. The first step is
  /// that with all of them.
  template <typename Body>
  void for_steps(Interval lines, bool later, Body&& body) const {
    if (sizes_.step == 0) return body(lines, lines);
    const std::int64_t count = parts(lines.count, sizes_.step);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = lines.first + (later ? i : count - 1 - i) * sizes_.step;
      const Interval some = between(first, std::min(end_of(lines), first + sizes_.step));
      body(some, later ? between(first, end_of(lines)) : between(lines.first, end_of(some)));
    }
  }

  DeviceRect whole(Level3Matrix matrix) const {
    const StoredShape shape = device_shape(p_, matrix, sizes_);
    return {{matrix, 0, 0}, shape.rows, shape.cols};
  }
  /// Lines of B or C along the order.
  DeviceRect lines_of(Level3Matrix matrix, Interval lines) const {
    if (left_) return {{matrix, lines.first, 0}, lines.count, p_.n};
    return {{matrix, 0, lines.first}, p_.m, lines.count};
  }
  void send(const DeviceRect& rect) {
    if (rect.rows > 0 && rect.columns > 0) steps_.emplace_back(SendRect{rect});
  }

  /// to = alpha A_(to, from) `source`_from + beta to, or the same from the right.
  void multiply(const Factor& factor, std::complex<double> alpha, Level3Matrix source,
                Interval from, std::complex<double> beta, Level3Matrix target, Interval to) {
    if (from.count == 0) return;
    MultiplyStep step;
    step.product = shaped(alpha, beta);
    step.product.k = from.count;
    const DevicePlace other = lines_of(source, from).at;
    step.c = lines_of(target, to).at;
    step.product.m = left_ ? to.count : p_.m;
    step.product.n = left_ ? p_.n : to.count;
    (left_ ? step.product.op_a : step.product.op_b) = factor.op;
    step.a = left_ ? factor.at : other;
    step.b = left_ ? other : factor.at;
    steps_.emplace_back(step);
  }

  /// The same by a triangular block of A, or by its inverse, which is in `block` with these lines
  /// as rows. `has_b`: `source`'s lines are the B of the product before.
  void multiply_triangle(Level3Matrix block, std::complex<double> alpha, Level3Matrix source,
                         Interval lines, std::complex<double> beta, Level3Matrix target,
                         bool has_b = false) {
    const bool swapped = (p_.op != Op::none) == left_;
    const auto part = [&](Interval to, Interval from) {
      std::int64_t row = to.first, column = from.first;
      if (swapped) std::swap(row, column);
      multiply({{block, row, column - lines.first}, p_.op}, alpha, source, from, beta, target, to);
      auto& step = std::get<MultiplyStep>(steps_.back());
      step.has_last_b = std::exchange(has_b, left_);
      step.first_of_last_b = from.first - lines.first;
    };
    // From the right a step would be of few columns, and pack all rows of B for them.
    if (left_)
      for_steps(lines, takes_later(p_), part);
    else
      part(lines, lines);
  }

  GemmProblem shaped(std::complex<double> alpha, std::complex<double> beta) const {
    GemmProblem product;
    product.precision = p_.precision;
    product.alpha = alpha;
    product.beta = beta;
    return product;
  }

  void fetch(Interval block);

  template <typename Rect>
  void fetch_from_the_end(Interval block, Rect&& rect) {
    // Whole rows land with the gaps that they have on the device.
    const std::size_t row_bytes =
        device_pitch(static_cast<std::size_t>(rect(block).columns) * element_size(p_.precision));
    const auto each =
        static_cast<std::int64_t>(std::max<std::size_t>(1, sizes_.piece_bytes / row_bytes));
    for (std::int64_t end = end_of(block); end > block.first;) {
      const Interval rows = between(std::max(block.first, end - each), end);
      steps_.emplace_back(FetchRect{rect(rows), rows});
      end = rows.first;
    }
  }

  // Lines of C that products come to, from where they are or what they were.
  void prepare_c(const DeviceRect& rect) {
    if (rect.rows == 0 || rect.columns == 0) return;
    if (in_place_.c)
      steps_.emplace_back(OverwriteRect{rect, p_.beta != 0.0});
    else if (p_.beta != 0.0)
      send(rect);
  }

  void write_rank_k(Interval rows);

  void write_symm(Interval block);

  void write_by_columns();

  void write_column(Interval block, bool is_last);

  void write_column_of_solve(Interval block);

  /// The part of A, beside its diagonal blocks, that takes `from` to `to`.
  Factor factor_of(Interval to, Interval from) const {
    if (p_.routine == Routine::trmm) return factor(to, from);
    const bool is_stored = (p_.uplo == Uplo::lower) == (to.first > from.first);
    if (is_stored) return {{Level3Matrix::a, to.first, from.first}, Op::none};
    return {{Level3Matrix::a, from.first, to.first}, mirrored()};
  }

  /// The block of a triangular matrix that takes `from` to `to`.
  DeviceRect block_of_a(Interval to, Interval from) const {
    const bool swapped = (p_.op != Op::none) == left_;
    if (swapped) std::swap(to, from);
    return {{Level3Matrix::a, to.first, from.first}, to.count, from.count};
  }
  Factor factor(Interval to, Interval from) const { return {block_of_a(to, from).at, p_.op}; }
  Interval beside(Interval block) const {
    return takes_later(p_) ? between(end_of(block), order_) : between(0, block.first);
  }
  // With what is not stored of the diagonal block as zeros.
  void send_block_row(Interval block) {
    if (in_place_.a) {
      steps_.emplace_back(SendDiagonal{Level3Matrix::a, block});
      return;
    }
    steps_.emplace_back(SendTriangle{block_of_a(block, from_diagonal(block)),
                                     block_of_a(block, beside(block)), block});
  }
  Interval from_diagonal(Interval block) const {
    return takes_later(p_) ? between(block.first, order_) : between(0, end_of(block));
  }

  void send_for_solve(Interval block);
  void send_all_inverses();

  void write_trmm(Interval block);
  std::int64_t blocks_ahead(std::int64_t of) const;
  void write_blocks_of_trmm();

  void write_solve();
  void write_trsm(Interval block);
  // What is known to the right-hand sides.
  void subtract(Interval to, Interval from, std::complex<double> beta) {
    multiply(factor(to, from), -1.0, Level3Matrix::c, from, beta, Level3Matrix::b, to);
  }
  void solve(Interval lines, std::complex<double> alpha);

  const Level3Problem& p_;
  const BlockSizes sizes_;
  const MatricesInPlace in_place_;
  const std::int64_t order_;
  const bool left_;
  bool has_inverses_ = false, has_right_sides_ = false;
  std::vector<DeviceStep> steps_;
};

}  // namespace duoblas

#include "gpu/level3_program.hpp"

#include <algorithm>
#include <utility>

#include "planner/device_blocks.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

constexpr std::int64_t end_of(Interval lines) {
  return lines.first + lines.count;
}
constexpr Interval between(std::int64_t first, std::int64_t end) {
  return {first, end - first};
}

Op mirrored(const Level3Problem& p) {
  return is_hermitian(p.routine) ? Op::conj_transpose : Op::transpose;
}

/// Where a factor of A lies, and its op.
struct Factor {
  DevicePlace at;
  Op op = Op::none;
};

class Writer {
 public:
  Writer(const Level3Problem& p, const BlockSizes& sizes, MatricesInPlace in_place)
      : p_(p), sizes_(sizes), in_place_(in_place), order_(order(p)), left_(p.side == Side::left) {}

  std::vector<DeviceStep> write() {
    if (updates_triangle(p_.routine)) {
      for_blocks([&](Interval block) { write_rank_k(block); });
    } else {
      if (p_.routine != Routine::trsm && !b_is_there())
        steps_.emplace_back(SendRect{whole(DeviceMatrix::b)});
      for_blocks([&](Interval block) {
        if (p_.routine == Routine::trmm)
          write_trmm(block);
        else if (p_.routine == Routine::trsm)
          write_trsm(block);
        else
          write_symm(block);
        fetch(block);
      });
    }
    return std::move(steps_);
  }

 private:
  // trmm's C is its own B.
  bool b_is_there() const { return has_b(p_.routine) ? in_place_.b : in_place_.c; }

  template <typename Body>
  void for_blocks(Body&& body) const {
    const std::int64_t count = parts(order_, sizes_.block);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t first = (from_the_end(p_) ? count - 1 - i : i) * sizes_.block;
      body(between(first, std::min(order_, first + sizes_.block)));
    }
  }

  DeviceRect whole(DeviceMatrix matrix) const {
    const StoredShape shape = device_shape(p_, matrix, sizes_);
    return {{matrix, 0, 0}, shape.rows, shape.cols};
  }
  /// Lines of B or C along the order.
  DeviceRect lines_of(DeviceMatrix matrix, Interval lines) const {
    if (left_) return {{matrix, lines.first, 0}, lines.count, p_.n};
    return {{matrix, 0, lines.first}, p_.m, lines.count};
  }
  void send(const DeviceRect& rect) {
    if (rect.rows > 0 && rect.columns > 0) steps_.emplace_back(SendRect{rect});
  }

  /// to = alpha A_(to, from) `source`_from + beta to, or the same from the right.
  void multiply(const Factor& factor, std::complex<double> alpha, DeviceMatrix source,
                Interval from, std::complex<double> beta, DeviceMatrix target, Interval to) {
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

  GemmProblem shaped(std::complex<double> alpha, std::complex<double> beta) const {
    GemmProblem product;
    product.precision = p_.precision;
    product.alpha = alpha;
    product.beta = beta;
    return product;
  }

  void fetch(Interval block) {
    if (in_place_.c || !left_ || !from_the_end(p_)) {
      steps_.emplace_back(FetchRect{lines_of(DeviceMatrix::c, block), block});
      return;
    }
    fetch_from_the_end(block, [&](Interval rows) { return lines_of(DeviceMatrix::c, rows); });
  }

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

  // Rows of a triangle of C: the diagonal block, and what is beside it. Of a C in place they are
  // written apart, since the block has a triangle that is not C's.
  void write_rank_k(Interval rows) {
    const bool lower = p_.uplo == Uplo::lower, by_rows = p_.op == Op::none;
    const Interval beside = lower ? between(0, rows.first) : between(end_of(rows), order_);
    const Interval columns = lower ? between(0, end_of(rows)) : between(rows.first, order_);
    const auto factor = [&](DeviceMatrix x, std::int64_t line) {
      return by_rows ? DevicePlace{x, line, 0} : DevicePlace{x, 0, line};
    };
    const auto send_lines = [&](DeviceMatrix x) {
      send({factor(x, rows.first), by_rows ? rows.count : p_.k, by_rows ? p_.k : rows.count});
    };
    if (!in_place_.a) send_lines(DeviceMatrix::a);
    if (is_rank_2k(p_.routine) && !in_place_.b) send_lines(DeviceMatrix::b);
    const auto beside_diagonal = [&](Interval some) {
      return DeviceRect{{DeviceMatrix::c, some.first, beside.first}, some.count, beside.count};
    };
    if (in_place_.c || p_.beta != 0.0)
      steps_.emplace_back(SendDiagonal{DeviceMatrix::c, rows, p_.beta != 0.0});
    prepare_c(beside_diagonal(rows));
    const auto add_columns = [&](DeviceMatrix x, DeviceMatrix y, Interval some,
                                 const DevicePlace& to, const GemmProblem& scaled) {
      if (some.count == 0) return;
      MultiplyStep step;
      step.product = scaled;
      step.product.m = rows.count;
      step.product.n = some.count;
      step.product.k = p_.k;
      (by_rows ? step.product.op_b : step.product.op_a) = mirrored(p_);
      step.a = factor(x, rows.first);
      step.b = factor(y, some.first);
      step.c = to;
      steps_.emplace_back(step);
    };
    const auto add = [&](DeviceMatrix x, DeviceMatrix y, std::complex<double> alpha,
                         std::complex<double> beta) {
      const GemmProblem scaled = shaped(alpha, beta);
      if (!in_place_.c)
        return add_columns(x, y, columns, {DeviceMatrix::c, rows.first, columns.first}, scaled);
      add_columns(x, y, rows, {DeviceMatrix::diagonals, rows.first, 0}, scaled);
      add_columns(x, y, beside, {DeviceMatrix::c, rows.first, beside.first}, scaled);
    };
    if (is_rank_2k(p_.routine)) {
      add(DeviceMatrix::a, DeviceMatrix::b, p_.alpha, p_.beta);
      add(DeviceMatrix::b, DeviceMatrix::a,
          is_hermitian(p_.routine) ? std::conj(p_.alpha) : p_.alpha, 1.0);
    } else {
      add(DeviceMatrix::a, DeviceMatrix::a, p_.alpha, p_.beta);
    }
    steps_.emplace_back(FetchDiagonal{rows, beside.count == 0});
    if (beside.count == 0) return;
    if (lower || in_place_.c)
      steps_.emplace_back(FetchRect{beside_diagonal(rows), rows});
    else
      fetch_from_the_end(rows, beside_diagonal);
  }

  // What is stored of the rows and columns of a block that no earlier one had.
  void write_symm(Interval block) {
    const Interval later = between(end_of(block), order_), before = between(0, block.first);
    if (!in_place_.a && p_.uplo == Uplo::lower)
      send({{DeviceMatrix::a, later.first, block.first}, later.count, block.count});
    else if (!in_place_.a)
      send({{DeviceMatrix::a, block.first, later.first}, block.count, later.count});
    steps_.emplace_back(SendDiagonal{DeviceMatrix::a, block});
    prepare_c(lines_of(DeviceMatrix::c, block));
    // The product of A's block row from the left, of its block column from the right: one part of
    // it is stored, the other is the mirrored part of the other one. The diagonal block is with
    // what is stored, or apart.
    const bool stored_first = (p_.uplo == Uplo::lower) == left_;
    Interval stored = stored_first ? between(0, end_of(block)) : between(block.first, order_);
    if (in_place_.a) stored = stored_first ? before : later;
    const Interval mirror = stored_first ? later : before;
    const auto place = [&](std::int64_t along, std::int64_t of_block, bool by_rows) {
      return by_rows ? DevicePlace{DeviceMatrix::a, of_block, along}
                     : DevicePlace{DeviceMatrix::a, along, of_block};
    };
    std::complex<double> beta = p_.beta;
    const auto add = [&](const Factor& of_a, Interval from) {
      multiply(of_a, p_.alpha, DeviceMatrix::b, from, beta, DeviceMatrix::c, block);
      if (from.count > 0) beta = 1.0;
    };
    if (in_place_.a) add({{DeviceMatrix::diagonals, block.first, 0}, Op::none}, block);
    add({place(stored.first, block.first, left_), Op::none}, stored);
    add({place(mirror.first, block.first, !left_), mirrored(p_)}, mirror);
  }

  /// The block of a triangular matrix that takes `from` to `to`.
  DeviceRect block_of_a(Interval to, Interval from) const {
    const bool swapped = (p_.op != Op::none) == left_;
    if (swapped) std::swap(to, from);
    return {{DeviceMatrix::a, to.first, from.first}, to.count, from.count};
  }
  Factor factor(Interval to, Interval from) const { return {block_of_a(to, from).at, p_.op}; }
  Interval beside(Interval block) const {
    return takes_later(p_) ? between(end_of(block), order_) : between(0, block.first);
  }
  void send_block_row(Interval block) {
    if (!in_place_.a) send(block_of_a(block, beside(block)));
    if (p_.routine == Routine::trsm)
      send_for_solve(block);
    else
      steps_.emplace_back(SendDiagonal{DeviceMatrix::a, block});
  }

  // The diagonal block of a solve is read in parts that are stored, and by the inverses of leaves.
  // Those are computed all at once where blocks are whole leaves: more of the host's threads have
  // work, and they are woken once.
  void send_for_solve(Interval block) {
    for (std::int64_t first = block.first; !in_place_.a && first < end_of(block);) {
      const Interval leaf = between(first, std::min(end_of(block), first + sizes_.leaf));
      send(block_of_a(leaf, takes_later(p_) ? between(end_of(leaf), end_of(block))
                                            : between(block.first, leaf.first)));
      first = end_of(leaf);
    }
    if (sizes_.block % sizes_.leaf != 0)
      steps_.emplace_back(SendInverses{block});
    else if (!std::exchange(has_inverses_, true))
      steps_.emplace_back(SendInverses{between(0, order_)});
  }

  void write_trmm(Interval block) {
    send_block_row(block);
    const Interval all = takes_later(p_) ? between(block.first, order_) : between(0, end_of(block));
    if (!in_place_.a && !in_place_.c) {
      multiply(factor(block, all), p_.alpha, DeviceMatrix::b, all, 0.0, DeviceMatrix::c, block);
      return;
    }
    // The other lines of a C in place have not been written yet; what this block's were is kept.
    if (in_place_.c)
      steps_.emplace_back(
          OverwriteRect{lines_of(DeviceMatrix::c, block), true, OverwriteRect::AsB::kept});
    const Interval others = beside(block);
    multiply(factor(block, others), p_.alpha, in_place_.c ? DeviceMatrix::c : DeviceMatrix::b,
             others, 0.0, DeviceMatrix::c, block);
    const Factor diagonal = in_place_.a ? Factor{{DeviceMatrix::diagonals, block.first, 0}, p_.op}
                                        : factor(block, block);
    multiply(diagonal, p_.alpha, DeviceMatrix::b, block, others.count > 0 ? 1.0 : 0.0,
             DeviceMatrix::c, block);
  }

  void write_trsm(Interval block) {
    if (in_place_.c)
      steps_.emplace_back(
          OverwriteRect{lines_of(DeviceMatrix::c, block), true, OverwriteRect::AsB::copy});
    else
      send(lines_of(DeviceMatrix::b, block));
    send_block_row(block);
    const Interval solved = beside(block);
    subtract(block, solved, p_.alpha);
    solve(block, solved.count > 0 ? 1.0 : p_.alpha);
  }
  // What is known to the right-hand sides.
  void subtract(Interval to, Interval from, std::complex<double> beta) {
    multiply(factor(to, from), -1.0, DeviceMatrix::c, from, beta, DeviceMatrix::b, to);
  }
  void solve(Interval lines, std::complex<double> alpha) {
    if (lines.count <= sizes_.leaf) {
      multiply({{DeviceMatrix::inverses, lines.first, 0}, p_.op}, alpha, DeviceMatrix::b, lines,
               0.0, DeviceMatrix::c, lines);
      return;
    }
    const std::int64_t leaves = parts(lines.count, sizes_.leaf);
    const std::int64_t middle = lines.first + (leaves + 1) / 2 * sizes_.leaf;
    Interval first = between(lines.first, middle), second = between(middle, end_of(lines));
    if (takes_later(p_)) std::swap(first, second);
    solve(first, alpha);
    subtract(second, first, alpha);
    solve(second, 1.0);
  }

  const Level3Problem& p_;
  const BlockSizes sizes_;
  const MatricesInPlace in_place_;
  const std::int64_t order_;
  const bool left_;
  bool has_inverses_ = false;
  std::vector<DeviceStep> steps_;
};

}  // namespace

BlockSizes block_sizes(std::int64_t order) {
  constexpr std::int64_t blocks = 8, unit = 16, most = 512;
  // 128 lines of a solve take half as many products as twice 64, whose enqueueing takes the host
  // longer than their inverses (docs/experiments/transfers.md#jobs-of-level-3).
  constexpr std::int64_t leaf = 128, small_leaf = 64;
  BlockSizes sizes;
  sizes.block = std::clamp(round_up(parts(order, blocks), unit), unit, most);
  sizes.leaf = sizes.block % leaf == 0 ? leaf : std::min(small_leaf, sizes.block);
  return sizes;
}

std::vector<DeviceStep> device_program(const Level3Problem& problem, const BlockSizes& sizes,
                                       MatricesInPlace in_place) {
  return Writer(problem, sizes, in_place).write();
}

std::vector<Interval> inverted_blocks(const Level3Problem& problem, const BlockSizes& sizes) {
  std::vector<Interval> inverted;
  if (problem.routine != Routine::trsm) return inverted;
  for (const DeviceStep& step : device_program(problem, sizes)) {
    const auto* sent = std::get_if<SendInverses>(&step);
    if (sent == nullptr) continue;
    const Interval& of = sent->lines;
    for (std::int64_t first = of.first; first < end_of(of); first += sizes.leaf)
      inverted.push_back({first, std::min(sizes.leaf, end_of(of) - first)});
  }
  return inverted;
}

StoredShape device_shape(const Level3Problem& p, DeviceMatrix matrix, const BlockSizes& sizes,
                         MatricesInPlace in_place) {
  switch (matrix) {
    case DeviceMatrix::a: return in_place.a ? StoredShape{} : stored_a(p);
    case DeviceMatrix::b:
      if (has_b(p.routine)) return in_place.b ? StoredShape{} : stored_b(p);
      return is_in_place(p.routine) && !in_place.c ? stored_c(p) : StoredShape{};
    case DeviceMatrix::c: return in_place.c ? StoredShape{} : stored_c(p);
    case DeviceMatrix::inverses:
      return p.routine == Routine::trsm && !in_place.a ? StoredShape{order(p), sizes.leaf}
                                                       : StoredShape{};
    case DeviceMatrix::diagonals: break;  // each has memory of its own, which is the host's
  }
  return {};
}

}  // namespace duoblas

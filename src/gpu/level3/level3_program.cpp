#include "gpu/level3/level3_program.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "gpu/level3/level3_writer.hpp"

namespace duoblas {

std::vector<DeviceStep> Level3Writer::write() {
  if (updates_triangle(p_.routine)) {
    for_blocks([&](Interval block) { write_rank_k(block); });
  } else if (goes_by_columns(p_, in_place_)) {
    write_by_columns();
  } else if (p_.routine == Routine::trmm && !in_place_.a && !in_place_.c) {
    write_blocks_of_trmm();
  } else if (p_.routine == Routine::trsm) {
    write_solve();
  } else {
    if (!b_is_there()) steps_.emplace_back(SendRect{whole(Level3Matrix::b)});
    for_blocks([&](Interval block) {
      if (p_.routine == Routine::trmm)
        write_trmm(block);
      else
        write_symm(block);
      fetch(block);
    });
  }
  return std::move(steps_);
}

void Level3Writer::fetch(Interval block) {
  if (in_place_.c || !left_ || !from_the_end(p_)) {
    steps_.emplace_back(FetchRect{lines_of(Level3Matrix::c, block), block});
    return;
  }
  fetch_from_the_end(block, [&](Interval rows) { return lines_of(Level3Matrix::c, rows); });
}

// Rows of a triangle of C: the diagonal block, and what is beside it. If C is in place the two are
// written apart, since the block has a triangle that is not C's.
void Level3Writer::write_rank_k(Interval rows) {
  const bool lower = p_.uplo == Uplo::lower, by_rows = p_.op == Op::none;
  const Interval beside = lower ? between(0, rows.first) : between(end_of(rows), order_);
  const Interval columns = lower ? between(0, end_of(rows)) : between(rows.first, order_);
  const auto factor = [&](Level3Matrix x, std::int64_t line) {
    return by_rows ? DevicePlace{x, line, 0} : DevicePlace{x, 0, line};
  };
  const auto send_lines = [&](Level3Matrix x) {
    send({factor(x, rows.first), by_rows ? rows.count : p_.k, by_rows ? p_.k : rows.count});
  };
  if (!in_place_.a) send_lines(Level3Matrix::a);
  if (is_rank_2k(p_.routine) && !in_place_.b) send_lines(Level3Matrix::b);
  const auto beside_diagonal = [&](Interval some) {
    return DeviceRect{{Level3Matrix::c, some.first, beside.first}, some.count, beside.count};
  };
  if (in_place_.c || p_.beta != 0.0)
    steps_.emplace_back(SendDiagonal{Level3Matrix::c, rows, p_.beta != 0.0});
  prepare_c(beside_diagonal(rows));
  const auto add_part = [&](Level3Matrix x, Level3Matrix y, Interval of_rows, Interval of_columns,
                            const DevicePlace& to, const GemmProblem& scaled) {
    if (of_columns.count == 0) return;
    MultiplyStep step;
    step.product = scaled;
    step.product.m = of_rows.count;
    step.product.n = of_columns.count;
    step.product.k = p_.k;
    (by_rows ? step.product.op_b : step.product.op_a) = mirrored();
    step.a = factor(x, of_rows.first);
    step.b = factor(y, of_columns.first);
    step.c = to;
    steps_.emplace_back(step);
  };
  const auto add = [&](Level3Matrix x, Level3Matrix y, std::complex<double> alpha,
                       std::complex<double> beta) {
    const GemmProblem scaled = shaped(alpha, beta);
    if (!in_place_.c)
      return add_part(x, y, rows, columns, {Level3Matrix::c, rows.first, columns.first}, scaled);
    for_steps(rows, !lower, [&](Interval some, Interval stored) {
      add_part(x, y, some, stored, {Level3Matrix::diagonals, some.first, stored.first - rows.first},
               scaled);
    });
    add_part(x, y, rows, beside, {Level3Matrix::c, rows.first, beside.first}, scaled);
  };
  if (is_rank_2k(p_.routine)) {
    add(Level3Matrix::a, Level3Matrix::b, p_.alpha, p_.beta);
    add(Level3Matrix::b, Level3Matrix::a, is_hermitian(p_.routine) ? std::conj(p_.alpha) : p_.alpha,
        1.0);
  } else {
    add(Level3Matrix::a, Level3Matrix::a, p_.alpha, p_.beta);
  }
  steps_.emplace_back(FetchDiagonal{rows, beside.count == 0});
  if (beside.count == 0) return;
  if (lower || in_place_.c)
    steps_.emplace_back(FetchRect{beside_diagonal(rows), rows});
  else
    fetch_from_the_end(rows, beside_diagonal);
}

// Sends the stored rows and columns of a block that no earlier block had, and multiplies.
void Level3Writer::write_symm(Interval block) {
  const Interval later = between(end_of(block), order_), before = between(0, block.first);
  if (!in_place_.a && p_.uplo == Uplo::lower)
    send({{Level3Matrix::a, later.first, block.first}, later.count, block.count});
  else if (!in_place_.a)
    send({{Level3Matrix::a, block.first, later.first}, block.count, later.count});
  steps_.emplace_back(SendDiagonal{Level3Matrix::a, block});
  prepare_c(lines_of(Level3Matrix::c, block));
  // From the left the product is by A's block row, from the right by its block column. One part of
  // that is stored, the other part is mirrored from what is stored elsewhere. The diagonal block is
  // with the stored part, or apart.
  const bool stored_first = (p_.uplo == Uplo::lower) == left_;
  Interval stored = stored_first ? between(0, end_of(block)) : between(block.first, order_);
  if (in_place_.a) stored = stored_first ? before : later;
  const Interval mirror = stored_first ? later : before;
  const auto place = [&](std::int64_t along, std::int64_t of_block, bool by_rows) {
    return by_rows ? DevicePlace{Level3Matrix::a, of_block, along}
                   : DevicePlace{Level3Matrix::a, along, of_block};
  };
  std::complex<double> beta = p_.beta;
  const auto add = [&](const Factor& of_a, Interval from) {
    multiply(of_a, p_.alpha, Level3Matrix::b, from, beta, Level3Matrix::c, block);
    if (from.count > 0) beta = 1.0;
  };
  if (in_place_.a) add({{Level3Matrix::diagonals, block.first, 0}, Op::none}, block);
  add({place(stored.first, block.first, left_), Op::none}, stored);
  add({place(mirror.first, block.first, !left_), mirrored()}, mirror);
}

// The diagonal block of a solve is read in parts that are stored, and by the inverses of leaves. Of
// one leaf nothing is read but its inverse. Those are computed all at once where blocks are whole
// leaves: more of the host's threads have work, and they are woken once.
void Level3Writer::send_for_solve(Interval block) {
  if (!in_place_.a && block.count <= sizes_.leaf)
    send(block_of_a(block, beside(block)));
  else if (!in_place_.a)
    send_block_row(block);
  if (sizes_.block % sizes_.leaf != 0)
    steps_.emplace_back(SendInverses{block});
  else
    send_all_inverses();
}

void Level3Writer::send_all_inverses() {
  if (!std::exchange(has_inverses_, true)) steps_.emplace_back(SendInverses{between(0, order_)});
}

void Level3Writer::write_trmm(Interval block) {
  send_block_row(block);
  const Interval all = from_diagonal(block);
  if (!in_place_.a && !in_place_.c) {
    multiply(factor(block, all), p_.alpha, Level3Matrix::b, all, 0.0, Level3Matrix::c, block);
    return;
  }
  // The other lines of a C in place have not been written yet; the old values of this block's are
  // saved.
  if (in_place_.c)
    steps_.emplace_back(
        OverwriteRect{lines_of(Level3Matrix::c, block), true, OverwriteRect::AsB::saved});
  const Interval others = beside(block);
  multiply(factor(block, others), p_.alpha, in_place_.c ? Level3Matrix::c : Level3Matrix::b, others,
           0.0, Level3Matrix::c, block);
  const std::complex<double> beta = others.count > 0 ? 1.0 : 0.0;
  if (in_place_.a)
    multiply_triangle(Level3Matrix::diagonals, p_.alpha, Level3Matrix::b, block, beta,
                      Level3Matrix::c);
  else
    multiply(factor(block, block), p_.alpha, Level3Matrix::b, block, beta, Level3Matrix::c, block);
}

// Lines that need no others come first: each block of B goes there with its rows of A, and comes
// back while the next is on its way. It overwrites what later lines need, so the host keeps the old
// values of these blocks. The rest of B follows, and from then on the lines that need most come
// first.
void Level3Writer::write_blocks_of_trmm() {
  std::vector<Interval> blocks;
  for_blocks([&](Interval block) { blocks.push_back(block); });
  auto rest = static_cast<std::size_t>(static_cast<std::int64_t>(blocks.size()) -
                                       blocks_ahead(static_cast<std::int64_t>(blocks.size())));
  for (std::size_t i = blocks.size(); i > rest; --i) {
    const Interval block = blocks[i - 1];
    steps_.emplace_back(SendRect{lines_of(Level3Matrix::b, block), true});
    write_trmm(block);
    steps_.emplace_back(FetchRect{lines_of(Level3Matrix::c, block), {block.first, 0}});
  }
  if (rest == 0) return;
  const Interval first = blocks[rest - 1], last = blocks[0];
  send(lines_of(Level3Matrix::b,
                between(std::min(first.first, last.first), std::max(end_of(first), end_of(last)))));
  for (std::size_t i = 0; i < rest; ++i) {
    write_trmm(blocks[i]);
    fetch(blocks[i]);
  }
}

std::int64_t Level3Writer::blocks_ahead(std::int64_t of) const {
  const std::int64_t bytes =
      sizes_.block * free_extent(p_) * static_cast<std::int64_t>(element_size(p_.precision));
  return std::min(of, static_cast<std::int64_t>(sizes_.saved_bytes) / bytes);
}

// The last blocks' results are on their way when nothing else is. Leaf by leaf the first of them
// leave while the last operands arrive.
void Level3Writer::write_solve() {
  std::int64_t left = parts(order_, sizes_.block);
  // The device inverts leaves while the first right-hand sides arrive.
  if (sizes_.inverts_leaves) send_all_inverses();
  for_blocks([&](Interval block) {
    const bool by_leaves = left-- <= sizes_.blocks_by_leaves && sizes_.block % sizes_.leaf == 0;
    for_parts(block, by_leaves ? sizes_.leaf : sizes_.block, [&](Interval lines) {
      write_trsm(lines);
      fetch(lines);
    });
  });
}

void Level3Writer::write_trsm(Interval block) {
  if (in_place_.c)
    steps_.emplace_back(
        OverwriteRect{lines_of(Level3Matrix::c, block), true, OverwriteRect::AsB::copy});
  else
    send(lines_of(Level3Matrix::b, block));
  send_for_solve(block);
  const Interval solved = beside(block);
  subtract(block, solved, p_.alpha);
  solve(block, solved.count > 0 ? 1.0 : p_.alpha);
}

void Level3Writer::solve(Interval lines, std::complex<double> alpha) {
  if (lines.count <= sizes_.leaf) {
    multiply_triangle(Level3Matrix::inverses, alpha, Level3Matrix::b, lines, 0.0, Level3Matrix::c);
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

std::vector<DeviceStep> device_program(const Level3Problem& problem, const BlockSizes& sizes,
                                       MatricesInPlace in_place) {
  return Level3Writer(problem, sizes, in_place).write();
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

}  // namespace duoblas

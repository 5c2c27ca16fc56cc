// By block columns of A, from the left: each block of B is packed once, for all lines of C at a
// time.
//
//     symm                  C += A_*,j B_j
//     trmm, op(A) lower     C_[j..] += A_[j..],j B_j, last j first
//     trsm, op(A) lower     X_j from R_j, then R_[j+1..] -= A_[j+1..],j X_j
//
// B is apart from C, so that trmm may write lines whose old values later steps need.
#include <complex>
#include <utility>
#include <variant>

#include "gpu/level3/level3_writer.hpp"

namespace duoblas {

void Level3Writer::write_by_columns() {
  steps_.emplace_back(
      OverwriteRect{whole(Level3Matrix::c), p_.beta != 0.0 && !is_in_place(p_.routine)});
  Interval last;
  for_blocks([&](Interval block) { last = block; });
  for_blocks([&](Interval block) {
    const bool is_last = block.first == last.first;
    if (p_.routine == Routine::trsm)
      write_column_of_solve(block);
    else
      write_column(block, is_last);
  });
}

// Adds a block of B's part to each line of C. The last block completes the lines.
void Level3Writer::write_column(Interval block, bool is_last) {
  if (!b_is_there()) send(lines_of(Level3Matrix::b, block));
  const bool is_symm = p_.routine != Routine::trmm;
  const bool is_first_of_symm = is_symm && block.first == 0;
  const std::complex<double> beta = !is_first_of_symm ? 1.0 : p_.beta;
  bool has_last_b = false;
  const auto add = [&](const Factor& of_a, std::complex<double> to_beta, Interval to) {
    if (to.count == 0) return;
    multiply(of_a, p_.alpha, Level3Matrix::b, block, to_beta, Level3Matrix::c, to);
    std::get<MultiplyStep>(steps_.back()).has_last_b = std::exchange(has_last_b, true);
    if (is_last) fetch(to);
  };
  const auto add_all = [&](Interval lines) {
    if (lines.count == 0) return;
    // At last in blocks, so that some are on their way back while others are multiplied.
    if (!is_last) return add(factor_of(lines, block), beta, lines);
    for_blocks([&](Interval to) {
      if (to.first >= lines.first && end_of(to) <= end_of(lines))
        add(factor_of(to, block), beta, to);
    });
  };
  const Interval before = between(0, block.first), later = between(end_of(block), order_);
  if (is_symm || takes_later(p_)) add_all(before);
  if (is_symm || !takes_later(p_)) add_all(later);
  steps_.emplace_back(SendDiagonal{Level3Matrix::a, block});
  if (is_symm) return add({{Level3Matrix::diagonals, block.first, 0}, Op::none}, beta, block);
  multiply_triangle(Level3Matrix::diagonals, p_.alpha, Level3Matrix::b, block, 0.0, Level3Matrix::c,
                    has_last_b);
  if (is_last) fetch(block);
}

void Level3Writer::write_column_of_solve(Interval block) {
  const bool is_first = !std::exchange(has_right_sides_, true);
  if (is_first) send(lines_of(Level3Matrix::b, block));
  send_for_solve(block);
  solve(block, is_first ? p_.alpha : 1.0);
  fetch(block);
  const Interval others =
      takes_later(p_) ? between(0, block.first) : between(end_of(block), order_);
  if (others.count == 0) return;
  if (is_first) send(lines_of(Level3Matrix::b, others));
  subtract(others, block, is_first ? p_.alpha : 1.0);
}

}  // namespace duoblas

#include "lapack/kept_columns.hpp"

#include <algorithm>
#include <cstring>

namespace duoblas {
namespace {

std::int64_t first_kept(const LapackProblem& p, std::int64_t first) {
  const std::size_t column = static_cast<std::size_t>(p.m) * element_size(p.precision);
  return std::max(first, p.n - static_cast<std::int64_t>(KeptRows::most_bytes / column));
}

}  // namespace

KeptColumns::KeptColumns(const BlockSteps& steps, const LapackProblem& p, std::int64_t first)
    : steps_(steps),
      p_(p),
      first_(first_kept(p, first)),
      columns_(rect_of(steps.at(0, first_), p.n - first_, p.m, p.lda, p.precision)) {}

void KeptColumns::wait_for(std::int64_t column) {
  columns_.wait_for(static_cast<std::size_t>(std::max<std::int64_t>(0, column - first_)));
}

Block KeptColumns::block_of_c(const GemmProblem& part) const {
  const auto bytes = static_cast<const char*>(part.c) - static_cast<const char*>(p_.a);
  const auto offset = bytes / static_cast<std::int64_t>(element_size(p_.precision));
  return {offset % p_.lda, offset / p_.lda, part.n, part.m};  // a product's rows are columns here
}

void KeptColumns::restore(const GemmProblem& part, const Interval& panel) {
  const std::int64_t end = panel.first + panel.count;
  steps_.swap_rows(swapped_, end, columns_.data(), p_.m, p_.n - first_);
  swapped_ = end;
  const Block c = block_of_c(part);
  const auto bytes = static_cast<std::size_t>(c.rows) * element_size(p_.precision);
  for (std::int64_t j = c.column; j < c.column + c.columns; ++j)
    std::memcpy(steps_.at(c.row, j),
                element_of(columns_.data(), p_.m, c.row, j - first_, p_.precision), bytes);
  if (panel.first == 0) return;
  const Block l{c.row, 0, c.rows, panel.first}, u{0, c.column, panel.first, c.columns};
  steps_.multiply(steps_.product(c, l, Op::none, u, Op::none));
}

}  // namespace duoblas

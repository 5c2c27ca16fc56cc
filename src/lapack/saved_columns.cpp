#include "lapack/saved_columns.hpp"

#include <algorithm>
#include <cstring>

namespace duoblas {
namespace {

// Small enough that the caller's thread and the other one end together.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

std::size_t column_bytes(const LapackProblem& p) {
  return static_cast<std::size_t>(p.m) * element_size(p.precision);
}

}  // namespace

SavedColumns::SavedColumns(const BlockSteps& steps, const LapackProblem& p, std::int64_t first)
    : steps_(steps),
      p_(p),
      first_(std::max(first,
                      p.n - static_cast<std::int64_t>(SavedPieces::most_bytes / column_bytes(p)))),
      columns_at_once_(
          std::max<std::int64_t>(1, static_cast<std::int64_t>(piece_bytes / column_bytes(p)))),
      pieces_(static_cast<std::size_t>(p.n - first_) * column_bytes(p), pieces_from(first_),
              [this](std::size_t piece) { copy(piece); }) {}

// Those of the columns from this one on.
std::size_t SavedColumns::pieces_from(std::int64_t column) const {
  return static_cast<std::size_t>((p_.n - column + columns_at_once_ - 1) / columns_at_once_);
}

void SavedColumns::copy(std::size_t piece) const {
  const std::int64_t end = p_.n - static_cast<std::int64_t>(piece) * columns_at_once_;
  for (std::int64_t j = std::max(first_, end - columns_at_once_); j < end; ++j)
    pieces_.keep(static_cast<std::size_t>(j - first_) * column_bytes(p_), steps_.at(0, j),
                 column_bytes(p_));
}

void SavedColumns::wait_for(std::int64_t column) {
  pieces_.wait_for(pieces_from(std::max(column, first_)));
}

void SavedColumns::restore(const GemmProblem& part, const Interval& panel) {
  const std::int64_t end = panel.first + panel.count;
  steps_.swap_rows(swapped_, end, pieces_.data(), p_.m, p_.n - first_);
  swapped_ = end;
  const Block c = block_of_c(p_, part);
  const auto bytes = static_cast<std::size_t>(c.rows) * element_size(p_.precision);
  for (std::int64_t j = c.column; j < c.column + c.columns; ++j)
    std::memcpy(steps_.at(c.row, j),
                element_of(pieces_.data(), p_.m, c.row, j - first_, p_.precision), bytes);
  if (panel.first == 0) return;
  const Block l{c.row, 0, c.rows, panel.first}, u{0, c.column, panel.first, c.columns};
  steps_.multiply(steps_.product(c, l, Op::none, u, Op::none));
}

}  // namespace duoblas

#include "engine/kept_rows.hpp"

#include <algorithm>

namespace duoblas {
namespace {

// Small enough that the caller's thread and the other one end together.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

}  // namespace

KeptRows::KeptRows(const HostRect& rows)
    : rows_(rows),
      rows_at_once_(
          std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(1, rows.row_bytes))),
      pieces_(rows.rows * rows.row_bytes, pieces_of(rows.rows),
              [this](std::size_t piece) { copy(piece); }) {}

// The last rows are piece 0.
std::size_t KeptRows::pieces_of(std::size_t rows) const {
  return (rows + rows_at_once_ - 1) / rows_at_once_;
}

void KeptRows::copy(std::size_t piece) const {
  const std::size_t end = rows_.rows - piece * rows_at_once_;
  for (std::size_t row = end - std::min(end, rows_at_once_); row < end; ++row)
    pieces_.keep(row * rows_.row_bytes, static_cast<const char*>(rows_.data) + row * rows_.pitch,
                 rows_.row_bytes);
}

void KeptRows::wait_for(std::size_t first_row) {
  pieces_.wait_for(pieces_of(rows_.rows - std::min(first_row, rows_.rows)));
}

}  // namespace duoblas

// A copy of rows of the caller's memory, which a thread makes beside other work.
#pragma once

#include <cstddef>

#include "engine/kept_pieces.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// For one caller. The rows do not change until wait_for() says so.
class KeptRows {
 public:
  static constexpr std::size_t most_bytes = KeptPieces::most_bytes;

  /// Begins with the last rows. If no thread can be started, wait_for() makes the copy. \throws
  /// std::bad_alloc.
  explicit KeptRows(const HostRect& rows);

  /// Returns when the rows from this one on are copied. The calling thread helps, and others may,
  /// as in KeptPieces.
  void wait_for(std::size_t first_row);

  /// The copy, without gaps between rows.
  void* data() const { return pieces_.data(); }
  std::size_t row_bytes() const { return rows_.row_bytes; }

 private:
  std::size_t pieces_of(std::size_t rows) const;
  void copy(std::size_t piece) const;

  const HostRect rows_;
  const std::size_t rows_at_once_;
  KeptPieces pieces_;
};

}  // namespace duoblas

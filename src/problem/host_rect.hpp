// The caller's matrices as bytes in memory.
#pragma once

#include <cstddef>
#include <cstdint>

#include "problem/precision.hpp"

namespace duoblas {

struct GemmProblem;
struct Level3Problem;

/// A strided rectangle of the caller's memory, sizes in bytes.
struct HostRect {
  void* data = nullptr;
  std::size_t rows = 0;
  std::size_t row_bytes = 0;
  std::size_t pitch = 0;          ///< bytes between the starts of two rows
  std::size_t element_bytes = 1;  ///< kernels address whole elements, at their own alignment
  /// Bytes from the first to past the last element; 0 where there is none.
  std::size_t span() const {
    return rows == 0 || row_bytes == 0 ? 0 : (rows - 1) * pitch + row_bytes;
  }
  bool operator==(const HostRect&) const = default;
};

/// Rows of `columns` elements, `ld` elements apart. If there is a single row, its ld may be any
/// number. Operands that are only read are never written through `data`.
HostRect rect_of(const void* data, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                 Precision precision);

/// Copies rows between memories in which they are so many bytes apart.
void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t rows, std::size_t row_bytes);

/// The operands as they lie in memory, before op.
HostRect rect_of_a(const GemmProblem& problem);
HostRect rect_of_b(const GemmProblem& problem);
HostRect rect_of_c(const GemmProblem& problem);
HostRect rect_of_a(const Level3Problem& problem);
/// \pre the routine has a B of its own.
HostRect rect_of_b(const Level3Problem& problem);
HostRect rect_of_c(const Level3Problem& problem);

}  // namespace duoblas

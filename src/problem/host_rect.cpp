#include "problem/host_rect.hpp"

#include <cstring>

#include "problem/gemm_problem.hpp"
#include "problem/level3_problem.hpp"

namespace duoblas {

HostRect rect_of(const void* data, std::int64_t rows, std::int64_t columns, std::int64_t ld,
                 Precision precision) {
  HostRect rect;
  rect.element_bytes = element_size(precision);
  rect.data = const_cast<void*>(data);
  rect.rows = static_cast<std::size_t>(rows);
  rect.row_bytes = static_cast<std::size_t>(columns) * rect.element_bytes;
  rect.pitch = rows > 1 ? static_cast<std::size_t>(ld) * rect.element_bytes : rect.row_bytes;
  return rect;
}

void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t rows, std::size_t row_bytes) {
  if (to_pitch == row_bytes && from_pitch == row_bytes) {
    std::memcpy(to, from, rows * row_bytes);
    return;
  }
  for (std::size_t row = 0; row < rows; ++row)
    std::memcpy(static_cast<char*>(to) + row * to_pitch,
                static_cast<const char*>(from) + row * from_pitch, row_bytes);
}

HostRect rect_of_a(const GemmProblem& p) {
  return rect_of(p.a, stored_rows_a(p), stored_cols_a(p), p.lda, p.precision);
}

HostRect rect_of_b(const GemmProblem& p) {
  return rect_of(p.b, stored_rows_b(p), stored_cols_b(p), p.ldb, p.precision);
}

HostRect rect_of_c(const GemmProblem& p) {
  return rect_of(p.c, p.m, p.n, p.ldc, p.precision);
}

HostRect rect_of_a(const Level3Problem& p) {
  const StoredShape shape = stored_a(p);
  return rect_of(p.a, shape.rows, shape.cols, p.lda, p.precision);
}

HostRect rect_of_b(const Level3Problem& p) {
  const StoredShape shape = stored_b(p);
  return rect_of(p.b, shape.rows, shape.cols, p.ldb, p.precision);
}

HostRect rect_of_c(const Level3Problem& p) {
  const StoredShape shape = stored_c(p);
  return rect_of(p.c, shape.rows, shape.cols, p.ldc, p.precision);
}

}  // namespace duoblas

#include "problem/host_rect.hpp"

#include "problem/gemm_problem.hpp"

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

HostRect rect_of_a(const GemmProblem& p) {
  return rect_of(p.a, stored_rows_a(p), stored_cols_a(p), p.lda, p.precision);
}

HostRect rect_of_b(const GemmProblem& p) {
  return rect_of(p.b, stored_rows_b(p), stored_cols_b(p), p.ldb, p.precision);
}

HostRect rect_of_c(const GemmProblem& p) {
  return rect_of(p.c, p.m, p.n, p.ldc, p.precision);
}

}  // namespace duoblas

#include "problem/ger_problem.hpp"

#include <utility>

#include "problem/argument_checks.hpp"

namespace duoblas {
namespace {

void* element_of_a(const GerProblem& p, std::int64_t row, std::int64_t column) {
  if (p.a == nullptr) return nullptr;
  return static_cast<char*>(p.a) +
         (row * p.lda + column) * static_cast<std::int64_t>(element_size(p.precision));
}

}  // namespace

void check(const CallerGer& call) {
  require_layout(call.layout);
  require_size(call.m, 2, "m");
  require_size(call.n, 3, "n");
  const bool works = call.m > 0 && call.n > 0 && call.alpha != std::complex<double>(0.0);
  require_memory(call.x, works, 5, "x");
  require_increment(call.incx, call.m, 6, "incx");
  require_memory(call.y, works, 7, "y");
  require_increment(call.incy, call.n, 8, "incy");
  require_memory(call.a, works, 9, "a");
  require_ld(call.lda, call.layout == Layout::row_major ? call.n : call.m, 10, "lda");
}

// A column-major matrix is the transpose in the same memory, so alpha y x' is added to that one.
GerProblem to_row_major(const CallerGer& call) {
  GerProblem p;
  p.precision = call.precision;
  p.conjugates_y = call.conjugates && is_complex(call.precision);
  p.rows = call.m;
  p.columns = call.n;
  p.alpha = call.alpha;
  // For one element the increment does not matter.
  p.x = vector_of(call.x, call.m, call.m > 1 ? call.incx : 1, call.precision);
  p.y = vector_of(call.y, call.n, call.n > 1 ? call.incy : 1, call.precision);
  p.a = call.a;
  p.lda = call.lda;
  if (call.layout == Layout::column_major) {
    std::swap(p.rows, p.columns);
    std::swap(p.x, p.y);
    std::swap(p.conjugates_x, p.conjugates_y);
  }
  return p;
}

GerProblem rows_of(const GerProblem& problem, Interval rows) {
  GerProblem part = problem;
  part.rows = rows.count;
  part.a = element_of_a(problem, rows.first, 0);
  part.x = behind(problem.x, rows.first, problem.precision);
  return part;
}

GerProblem columns_of(const GerProblem& problem, Interval columns) {
  GerProblem part = problem;
  part.columns = columns.count;
  part.a = element_of_a(problem, 0, columns.first);
  part.y = behind(problem.y, columns.first, problem.precision);
  return part;
}

double traffic_bytes(const GerProblem& p) {
  const auto rows = static_cast<double>(p.rows), columns = static_cast<double>(p.columns);
  return (2 * rows * columns + rows + columns) * static_cast<double>(element_size(p.precision));
}

}  // namespace duoblas

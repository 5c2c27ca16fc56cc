#include "problem/ger_problem.hpp"

#include <utility>

#include "problem/named_arguments.hpp"

namespace duoblas {

void check(const CallerGer& call) {
  constexpr NamedArguments check("layout m n alpha x incx y incy a lda");
  check.layout(call.layout);
  check.size(call.m, "m");
  check.size(call.n, "n");
  const bool works = call.m > 0 && call.n > 0 && call.alpha != std::complex<double>(0.0);
  check.memory(call.x, works, "x");
  check.increment(call.incx, call.m, "incx");
  check.memory(call.y, works, "y");
  check.increment(call.incy, call.n, "incy");
  check.memory(call.a, works, "a");
  check.at_least(call.layout == Layout::row_major ? call.n : call.m, call.lda, "lda");
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
  part.a = advanced(problem.a, rows.first * problem.lda, problem.precision);
  part.x = behind(problem.x, rows.first, problem.precision);
  return part;
}

GerProblem columns_of(const GerProblem& problem, Interval columns) {
  GerProblem part = problem;
  part.columns = columns.count;
  part.a = advanced(problem.a, columns.first, problem.precision);
  part.y = behind(problem.y, columns.first, problem.precision);
  return part;
}

double traffic_bytes(const GerProblem& p) {
  const auto rows = static_cast<double>(p.rows), columns = static_cast<double>(p.columns);
  return (2 * rows * columns + rows + columns) * static_cast<double>(element_size(p.precision));
}

}  // namespace duoblas

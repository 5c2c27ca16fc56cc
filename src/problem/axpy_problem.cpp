#include "problem/axpy_problem.hpp"

#include "problem/named_arguments.hpp"

namespace duoblas {
namespace {

StridedVector turned_round(const StridedVector& vector, std::int64_t size, Precision precision) {
  return {behind(vector, size - 1, precision).data, -vector.increment};
}

}  // namespace

void check(const CallerAxpy& call) {
  constexpr NamedArguments check("n alpha x incx y incy");
  check.size(call.n, "n");
  const bool works = call.n > 0 && call.alpha != std::complex<double>(0.0);
  check.memory(call.x, works, "x");
  check.reachable(call.incx, call.n, "incx");
  check.memory(call.y, works, "y");
  check.reachable(call.incy, call.n, "incy");
}

AxpyProblem problem_of(const CallerAxpy& call) {
  AxpyProblem p;
  p.precision = call.precision;
  p.size = call.n;
  p.alpha = call.alpha;
  if (p.size <= 1) {  // an increment is of no matter
    p.x = vector_of(call.x, call.n, 1, call.precision);
    p.y = vector_of(call.y, call.n, 1, call.precision);
    return p;
  }
  p.x = vector_of(call.x, call.n, call.incx, call.precision);
  p.y = vector_of(call.y, call.n, call.incy, call.precision);
  if (p.y.increment < 0) {
    p.x = turned_round(p.x, p.size, p.precision);
    p.y = turned_round(p.y, p.size, p.precision);
  }
  return p;
}

AxpyProblem elements_of(const AxpyProblem& problem, Interval elements) {
  AxpyProblem part = problem;
  part.size = elements.count;
  part.x = behind(problem.x, elements.first, problem.precision);
  part.y = behind(problem.y, elements.first, problem.precision);
  return part;
}

GerProblem as_ger(const AxpyProblem& problem, void* one) {
  GerProblem p;
  p.precision = problem.precision;
  p.rows = problem.size;
  p.columns = 1;
  p.alpha = problem.alpha;
  p.x = problem.x;
  p.y = {one, 1};
  p.a = problem.y.data;
  p.lda = problem.y.increment;
  return p;
}

double traffic_bytes(const AxpyProblem& p) {
  return 3 * static_cast<double>(p.size) * static_cast<double>(element_size(p.precision));
}

}  // namespace duoblas

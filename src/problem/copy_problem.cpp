#include "problem/copy_problem.hpp"

#include "problem/named_arguments.hpp"

namespace duoblas {

void check(const CallerCopy& call) {
  constexpr NamedArguments check("layout op m n alpha a lda b ldb");
  check.layout(call.layout);
  check.op(call.op);
  check.size(call.m, "m");
  check.size(call.n, "n");
  const CopyProblem problem = to_row_major(call);
  const bool reads = !problem.empty() && problem.alpha != std::complex<double>(0.0);
  check.memory(call.a, reads, "a");
  check.at_least(problem.stored_columns(), call.lda, "lda");
  check.memory(call.b, !problem.empty(), "b");
  check.at_least(problem.columns, call.ldb, "ldb");
}

// A column-major matrix is the transpose in the same memory, of both A and B.
CopyProblem to_row_major(const CallerCopy& call) {
  const bool row_major = call.layout == Layout::row_major;
  CopyProblem p;
  p.precision = call.precision;
  p.transposes = call.op != Op::none;
  p.conjugates = call.op == Op::conj_transpose && is_complex(call.precision);
  p.rows = row_major == p.transposes ? call.n : call.m;
  p.columns = row_major == p.transposes ? call.m : call.n;
  p.alpha = call.alpha;
  p.a = call.a;
  p.lda = call.lda;
  p.b = call.b;
  p.ldb = call.ldb;
  return p;
}

CopyProblem rows_of(const CopyProblem& problem, Interval rows) {
  CopyProblem part = problem;
  part.rows = rows.count;
  part.a =
      advanced(problem.a, rows.first * (problem.transposes ? 1 : problem.lda), problem.precision);
  part.b = advanced(problem.b, rows.first * problem.ldb, problem.precision);
  return part;
}

double traffic_bytes(const CopyProblem& p) {
  return 2 * static_cast<double>(p.rows) * static_cast<double>(p.columns) *
         static_cast<double>(element_size(p.precision));
}

}  // namespace duoblas

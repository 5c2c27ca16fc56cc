#include "problem/copy_problem.hpp"

#include "problem/argument_checks.hpp"

namespace duoblas {
namespace {

std::int64_t element_bytes(const CopyProblem& p) {
  return static_cast<std::int64_t>(element_size(p.precision));
}

}  // namespace

void check(const CallerCopy& call) {
  require_layout(call.layout);
  require_op(call.op, 2);
  require_size(call.m, 3, "m");
  require_size(call.n, 4, "n");
  const CopyProblem problem = to_row_major(call);
  const bool reads = !problem.empty() && problem.alpha != std::complex<double>(0.0);
  require_memory(call.a, reads, 6, "a");
  require_ld(call.lda, problem.stored_columns(), 7, "lda");
  require_memory(call.b, !problem.empty(), 8, "b");
  require_ld(call.ldb, problem.columns, 9, "ldb");
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
  const std::int64_t of_a = rows.first * (problem.transposes ? 1 : problem.lda);
  if (problem.a != nullptr)
    part.a = static_cast<const char*>(problem.a) + of_a * element_bytes(problem);
  if (problem.b != nullptr)
    part.b = static_cast<char*>(problem.b) + rows.first * problem.ldb * element_bytes(problem);
  return part;
}

double traffic_bytes(const CopyProblem& p) {
  return 2 * static_cast<double>(p.rows) * static_cast<double>(p.columns) *
         static_cast<double>(element_size(p.precision));
}

}  // namespace duoblas

#include "problem/caller_gemv.hpp"

#include "problem/argument_checks.hpp"

namespace duoblas {
namespace {

bool is_row_major(const CallerGemv& call) {
  return call.layout == Layout::row_major;
}

}  // namespace

void check(const CallerGemv& call) {
  require_layout(call.layout);
  require_op(call.op, 2);
  require_size(call.m, 3, "m");
  require_size(call.n, 4, "n");
  const std::int64_t outputs = call.op == Op::none ? call.m : call.n;
  const std::int64_t terms = call.op == Op::none ? call.n : call.m;
  const bool reads = outputs > 0 && terms > 0 && call.alpha != std::complex<double>(0.0);
  require_memory(call.a, reads, 6, "a");
  require_ld(call.lda, is_row_major(call) ? call.n : call.m, 7, "lda");
  require_memory(call.x, reads, 8, "x");
  require_increment(call.incx, terms, 9, "incx");
  require_memory(call.y, outputs > 0, 11, "y");
  require_increment(call.incy, outputs, 12, "incy");
}

GemvProblem to_row_major(const CallerGemv& call) {
  const bool row_major = is_row_major(call);
  GemvProblem p;
  p.precision = call.precision;
  p.transposes = (call.op != Op::none) == row_major;
  p.conjugates = call.op == Op::conj_transpose && is_complex(call.precision);
  p.rows = row_major ? call.m : call.n;
  p.columns = row_major ? call.n : call.m;
  p.alpha = call.alpha;
  p.a = call.a;
  p.lda = call.lda;
  p.x = vector_of(call.x, p.terms(), call.incx, call.precision);
  p.beta = call.beta;
  p.y = vector_of(call.y, p.outputs(), call.incy, call.precision);
  return p;
}

}  // namespace duoblas

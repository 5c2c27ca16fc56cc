#include "problem/caller_gemv.hpp"

#include "problem/named_arguments.hpp"

namespace duoblas {
namespace {

bool is_row_major(const CallerGemv& call) {
  return call.layout == Layout::row_major;
}

}  // namespace

void check(const CallerGemv& call) {
  constexpr NamedArguments check("layout op m n alpha a lda x incx beta y incy");
  check.layout(call.layout);
  check.op(call.op);
  check.size(call.m, "m");
  check.size(call.n, "n");
  const std::int64_t outputs = call.op == Op::none ? call.m : call.n;
  const std::int64_t terms = call.op == Op::none ? call.n : call.m;
  const bool reads = outputs > 0 && terms > 0 && call.alpha != std::complex<double>(0.0);
  check.memory(call.a, reads, "a");
  check.at_least(is_row_major(call) ? call.n : call.m, call.lda, "lda");
  check.memory(call.x, reads, "x");
  check.increment(call.incx, terms, "incx");
  check.memory(call.y, outputs > 0, "y");
  check.increment(call.incy, outputs, "incy");
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

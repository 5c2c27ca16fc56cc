#include "problem/caller_gemv.hpp"

#include <algorithm>
#include <string>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

bool is_row_major(const CallerGemv& call) {
  return call.layout == Layout::row_major;
}

std::int64_t least_lda(const CallerGemv& call) {
  return std::max<std::int64_t>(1, is_row_major(call) ? call.n : call.m);
}

void require(bool holds, int position, const char* name, const std::string& reason) {
  if (!holds) throw ArgumentError(position, name, reason);
}

// As far as memory can reach: a product of sizes then fits 64 bits.
bool is_reachable(std::int64_t increment, std::int64_t size) {
  constexpr std::int64_t most = std::int64_t{1} << 58;
  return size <= 1 || (increment <= most / size && increment >= -most / size);
}

}  // namespace

void check(const CallerGemv& call) {
  require(is_row_major(call) || call.layout == Layout::column_major, 1, "layout",
          "is neither row-major nor column-major");
  require(call.op == Op::none || call.op == Op::transpose || call.op == Op::conj_transpose, 2, "op",
          "is not none, transpose or conj_transpose");
  require(call.m >= 0, 3, "m", "is negative");
  require(call.n >= 0, 4, "n", "is negative");
  const std::int64_t outputs = call.op == Op::none ? call.m : call.n;
  const std::int64_t terms = call.op == Op::none ? call.n : call.m;
  // Pointers that nothing is read through may be null, as the reference BLAS has it.
  const bool reads = outputs > 0 && terms > 0 && call.alpha != std::complex<double>(0.0);
  require(call.a != nullptr || !reads, 6, "a", "is a null pointer");
  require(
      call.lda >= least_lda(call), 7, "lda",
      "must be at least " + std::to_string(least_lda(call)) + ", is " + std::to_string(call.lda));
  require(call.x != nullptr || !reads, 8, "x", "is a null pointer");
  require(call.incx != 0, 9, "incx", "is 0");
  require(is_reachable(call.incx, terms), 9, "incx", "reaches beyond any memory");
  require(call.y != nullptr || outputs == 0, 11, "y", "is a null pointer");
  require(call.incy != 0, 12, "incy", "is 0");
  require(is_reachable(call.incy, outputs), 12, "incy", "reaches beyond any memory");
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

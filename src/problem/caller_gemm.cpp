#include "problem/caller_gemm.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

struct Requirement {
  bool holds;
  int position;
  const char* name;
  std::string (*reason)(const CallerGemm&);
};

bool known(Op op) {
  return op == Op::none || op == Op::transpose || op == Op::conj_transpose;
}

bool row_major(const CallerGemm& call) {
  return call.layout == Layout::row_major;
}

// The least leading dimension: the length of a stored row (row-major) or column.
std::int64_t least_lda(const CallerGemm& call) {
  const auto& p = call.args;
  return std::max<std::int64_t>(1, row_major(call) ? stored_cols_a(p) : stored_rows_a(p));
}
std::int64_t least_ldb(const CallerGemm& call) {
  const auto& p = call.args;
  return std::max<std::int64_t>(1, row_major(call) ? stored_cols_b(p) : stored_rows_b(p));
}
std::int64_t least_ldc(const CallerGemm& call) {
  return std::max<std::int64_t>(1, row_major(call) ? call.args.n : call.args.m);
}

std::string unknown_op(const CallerGemm&) {
  return "is not none, transpose or conj_transpose";
}
std::string negative(const CallerGemm&) {
  return "is negative";
}
std::string null(const CallerGemm&) {
  return "is a null pointer";
}
std::string at_least(std::int64_t bound, std::int64_t given) {
  return "must be at least " + std::to_string(bound) + ", is " + std::to_string(given);
}

}  // namespace

void check(const CallerGemm& call, const GemmPositions& at) {
  const auto& p = call.args;
  const bool known_layout = call.layout == Layout::row_major || call.layout == Layout::column_major;
  // Pointers that nothing is read through may be null, as the reference BLAS has it.
  const bool reads_operands = !p.empty() && !p.only_scales_c();
  const Requirement requirements[] = {
      {known_layout, 1, "layout",
       [](const CallerGemm&) { return std::string("is neither row-major nor column-major"); }},
      {known(p.op_a), 2, "op_a", unknown_op},
      {known(p.op_b), 3, "op_b", unknown_op},
      {p.m >= 0, 4, "m", negative},
      {p.n >= 0, 5, "n", negative},
      {p.k >= 0, 6, "k", negative},
      {p.a != nullptr || !reads_operands, at.a, "a", null},
      {p.lda >= least_lda(call), at.lda, "lda",
       [](const CallerGemm& c) { return at_least(least_lda(c), c.args.lda); }},
      {p.b != nullptr || !reads_operands, at.b, "b", null},
      {p.ldb >= least_ldb(call), at.ldb, "ldb",
       [](const CallerGemm& c) { return at_least(least_ldb(c), c.args.ldb); }},
      {p.c != nullptr || p.empty(), at.c, "c", null},
      {p.ldc >= least_ldc(call), at.ldc, "ldc",
       [](const CallerGemm& c) { return at_least(least_ldc(c), c.args.ldc); }},
  };
  for (const auto& requirement : requirements) {
    if (!requirement.holds) {
      throw ArgumentError(requirement.position, requirement.name, requirement.reason(call));
    }
  }
}

GemmProblem to_row_major(const CallerGemm& call) {
  GemmProblem p = call.args;
  if (call.layout == Layout::column_major) {
    std::swap(p.m, p.n);
    std::swap(p.op_a, p.op_b);
    std::swap(p.a, p.b);
    std::swap(p.lda, p.ldb);
  }
  return p;
}

}  // namespace duoblas

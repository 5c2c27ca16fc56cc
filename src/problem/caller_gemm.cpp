#include "problem/caller_gemm.hpp"

#include <utility>

#include "problem/named_arguments.hpp"

namespace duoblas {

void check(const CallerGemm& call, std::string_view names) {
  const GemmProblem& p = call.args;
  const NamedArguments check(names);
  check.layout(call.layout);
  check.op(p.op_a, "op_a");
  check.op(p.op_b, "op_b");
  check.size(p.m, "m");
  check.size(p.n, "n");
  check.size(p.k, "k");
  const bool rows = call.layout == Layout::row_major;
  const bool reads = !p.empty() && !p.only_scales_c();
  check.memory(p.a, reads, "a");
  check.at_least(rows ? stored_cols_a(p) : stored_rows_a(p), p.lda, "lda");
  check.memory(p.b, reads, "b");
  check.at_least(rows ? stored_cols_b(p) : stored_rows_b(p), p.ldb, "ldb");
  check.memory(p.c, !p.empty(), "c");
  check.at_least(rows ? p.n : p.m, p.ldc, "ldc");
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

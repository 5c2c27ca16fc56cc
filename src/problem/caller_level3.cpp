#include "problem/caller_level3.hpp"

#include <complex>
#include <string_view>
#include <utility>

#include "problem/named_arguments.hpp"

namespace duoblas {
namespace {

// In the order of the C functions, from which the positions in errors follow.
std::string_view argument_names(Routine routine) {
  switch (routine) {
    case Routine::symm:
    case Routine::hemm: return "layout side uplo m n alpha a lda b ldb beta c ldc";
    case Routine::syrk:
    case Routine::herk: return "layout uplo op n k alpha a lda beta c ldc";
    case Routine::syr2k:
    case Routine::her2k: return "layout uplo op n k alpha a lda b ldb beta c ldc";
    case Routine::trmm:
    case Routine::trsm: return "layout side uplo op diag m n alpha a lda b ldb";
  }
  return "";
}

struct OpRule {
  bool holds;
  const char* otherwise;
};

// A A' of complex numbers is symmetric or Hermitian, and then has the one op that keeps it so.
OpRule op_rule(const Level3Problem& p) {
  const bool known = p.op == Op::none || p.op == Op::transpose || p.op == Op::conj_transpose;
  if (!updates_triangle(p.routine) || !is_complex(p.precision))
    return {known, "is not none, transpose or conj_transpose"};
  if (is_hermitian(p.routine))
    return {known && p.op != Op::transpose, "is neither none nor conj_transpose"};
  return {known && p.op != Op::conj_transpose, "is neither none nor transpose"};
}

Uplo other(Uplo uplo) {
  return uplo == Uplo::upper ? Uplo::lower : Uplo::upper;
}
Side other(Side side) {
  return side == Side::left ? Side::right : Side::left;
}

}  // namespace

void check(const CallerLevel3& call, std::string_view names) {
  const Level3Problem& p = call.args;
  const NamedArguments check(names.empty() ? argument_names(p.routine) : names);
  constexpr const char* negative = "is negative";
  constexpr const char* null = "is a null pointer";
  const bool rows = call.layout == Layout::row_major;
  check.require(rows || call.layout == Layout::column_major, "layout",
                "is neither row-major nor column-major");
  check.require(p.side == Side::left || p.side == Side::right, "side", "is neither left nor right");
  check.require(p.uplo == Uplo::upper || p.uplo == Uplo::lower, "uplo",
                "is neither upper nor lower");
  const OpRule op = op_rule(p);
  check.require(op.holds, "op", op.otherwise);
  check.require(p.diag == Diag::non_unit || p.diag == Diag::unit, "diag",
                "is neither non_unit nor unit");
  check.require(p.m >= 0, "m", negative);
  check.require(p.n >= 0, "n", negative);
  check.require(p.k >= 0, "k", negative);

  // Pointers that nothing is read through may be null, as the reference BLAS has it.
  const bool reads = !p.empty() && !p.only_scales_c();
  const auto least_ld = [rows](StoredShape as_stored_by_rows) {
    return rows ? as_stored_by_rows.cols : as_stored_by_rows.rows;
  };
  check.require(p.a != nullptr || !reads, "a", null);
  check.at_least(least_ld(stored_a(p)), p.lda, "lda");
  if (is_in_place(p.routine)) {  // where the caller's B is what the result is written to
    check.require(p.c != nullptr || p.empty(), "b", null);
    check.at_least(least_ld(stored_c(p)), p.ldc, "ldb");
    return;
  }
  check.require(p.b != nullptr || !reads, "b", null);
  check.at_least(least_ld(stored_b(p)), p.ldb, "ldb");
  check.require(p.c != nullptr || p.empty(), "c", null);
  check.at_least(least_ld(stored_c(p)), p.ldc, "ldc");
}

Level3Problem to_row_major(const CallerLevel3& call) {
  Level3Problem p = call.args;
  // Real types have one way to transpose, and what follows compares ops.
  if (!is_complex(p.precision) && p.op == Op::conj_transpose) p.op = Op::transpose;
  if (call.layout == Layout::row_major) return p;
  p.uplo = other(p.uplo);
  if (!updates_triangle(p.routine)) {
    p.side = other(p.side);
    std::swap(p.m, p.n);
    return p;
  }
  if (p.op != Op::none)
    p.op = Op::none;
  else
    p.op = is_hermitian(p.routine) && is_complex(p.precision) ? Op::conj_transpose : Op::transpose;
  // The two products of her2k trade places.
  if (p.routine == Routine::her2k) p.alpha = std::conj(p.alpha);
  return p;
}

}  // namespace duoblas

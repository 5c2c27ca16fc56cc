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

// A A' of complex numbers is symmetric or Hermitian, and then has the one op that keeps it so.
void check_op(const NamedArguments& check, const Level3Problem& p) {
  if (!updates_triangle(p.routine) || !is_complex(p.precision)) return check.op(p.op);
  const bool conjugates = is_hermitian(p.routine);
  check.require(
      p.op == Op::none || p.op == (conjugates ? Op::conj_transpose : Op::transpose), "op",
      conjugates ? "is neither none nor conj_transpose" : "is neither none nor transpose");
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
  check.layout(call.layout);
  check.side(p.side);
  check.uplo(p.uplo);
  check_op(check, p);
  check.diag(p.diag);
  check.size(p.m, "m");
  check.size(p.n, "n");
  check.size(p.k, "k");
  const bool rows = call.layout == Layout::row_major, reads = !p.empty() && !p.only_scales_c();
  const auto least_ld = [rows](StoredShape as_stored_by_rows) {
    return rows ? as_stored_by_rows.cols : as_stored_by_rows.rows;
  };
  check.memory(p.a, reads, "a");
  check.at_least(least_ld(stored_a(p)), p.lda, "lda");
  if (is_in_place(p.routine)) {  // where the caller's B is what the result is written to
    check.memory(p.c, !p.empty(), "b");
    check.at_least(least_ld(stored_c(p)), p.ldc, "ldb");
    return;
  }
  check.memory(p.b, reads, "b");
  check.at_least(least_ld(stored_b(p)), p.ldb, "ldb");
  check.memory(p.c, !p.empty(), "c");
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
  // The two products of her2k are swapped.
  if (p.routine == Routine::her2k) p.alpha = std::conj(p.alpha);
  return p;
}

}  // namespace duoblas

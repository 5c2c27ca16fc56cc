#include "problem/caller_qr.hpp"

#include <algorithm>
#include <string>

#include "problem/caller_lapack.hpp"

namespace duoblas {
namespace {

constexpr const char* null = "is a null pointer";

void require_op(const NamedArguments& check, const LapackProblem& p) {
  check.require(is_op(p.op), "op", "is not none, transpose or conj_transpose");
  check.require(!is_complex(p.precision) || p.op != Op::transpose, "op",
                "is transpose: of complex matrices QR has none and conj_transpose");
}

void check_ormqr(const NamedArguments& check, const LapackProblem& p) {
  const bool is_left = p.side == Side::left;
  check.require(is_left || p.side == Side::right, "side", "is neither left nor right");
  require_op(check, p);
  const std::int64_t m = is_left ? p.m : p.right_sides, n = is_left ? p.right_sides : p.m;
  require_extent(check, m, "m");
  require_extent(check, n, "n");
  require_extent(check, p.n, "k");
  check.require(p.n <= p.m, "k", is_left ? "is more than m" : "is more than n");
  const bool has_any = m > 0 && n > 0 && p.n > 0;
  check.require(p.a != nullptr || !has_any, "a", null);
  check.at_least(p.m, p.lda, "lda");
  require_extent(check, p.lda, "lda");
  check.require(p.tau != nullptr || !has_any, "tau", null);
  check.require(p.b != nullptr || !has_any, "c", null);
  check.at_least(m, p.ldb, "ldc");
  require_extent(check, p.ldb, "ldc");
}

}  // namespace

bool is_op(Op op) {
  return op == Op::none || op == Op::transpose || op == Op::conj_transpose;
}

void require_extent(const NamedArguments& check, std::int64_t given, std::string_view name) {
  check.require(given >= 0, name, "is negative");
  check.require(given <= most_lapack_extent, name,
                "is more than " + std::to_string(most_lapack_extent) +
                    ": the CPU BLAS's LAPACK counts in 32-bit integers");
}

std::string_view argument_names_of_qr(LapackRoutine routine) {
  switch (routine) {
    case LapackRoutine::geqrf: return "m n a lda tau";
    case LapackRoutine::orgqr: return "m n k a lda tau";
    case LapackRoutine::ormqr: return "side op m n k a lda tau c ldc";
    case LapackRoutine::gels: return "op m n right_sides a lda b ldb";
    default: return "";
  }
}

void check_qr(const NamedArguments& check, const LapackProblem& p) {
  if (p.routine == LapackRoutine::ormqr) return check_ormqr(check, p);
  require_op(check, p);
  require_extent(check, p.m, "m");
  require_extent(check, p.n, "n");
  check.require(p.routine != LapackRoutine::orgqr || p.n <= p.m, "n", "is more than m");
  require_extent(check, p.reflectors, "k");
  check.require(p.reflectors <= p.n, "k", "is more than n");
  require_extent(check, p.right_sides, "right_sides");
  const bool is_gels = p.routine == LapackRoutine::gels;
  const bool reads_a = !p.empty() && (!is_gels || p.right_sides > 0);
  check.require(p.a != nullptr || !reads_a, "a", null);
  check.at_least(p.m, p.lda, "lda");
  require_extent(check, p.lda, "lda");
  const bool reads_tau = !p.empty() && (p.routine == LapackRoutine::geqrf || p.reflectors > 0);
  check.require(p.tau != nullptr || !reads_tau, "tau", null);
  const std::int64_t rows = std::max(p.m, p.n);
  check.require(p.b != nullptr || rows == 0 || p.right_sides == 0, "b", null);
  check.at_least(rows, p.ldb, "ldb");
  require_extent(check, p.ldb, "ldb");
}

}  // namespace duoblas

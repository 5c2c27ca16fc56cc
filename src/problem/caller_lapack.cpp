#include "problem/caller_lapack.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "problem/lapack_problem.hpp"
#include "problem/named_arguments.hpp"

namespace duoblas {
namespace {

std::string_view argument_names(LapackRoutine routine) {
  switch (routine) {
    case LapackRoutine::getrf: return "m n a lda pivots";
    case LapackRoutine::potrf: return "uplo n a lda";
    case LapackRoutine::getri: return "n a lda pivots";
    case LapackRoutine::gesv: return "n right_sides a lda pivots b ldb";
    case LapackRoutine::getrs: return "op n right_sides a lda pivots b ldb";
    case LapackRoutine::posv:
    case LapackRoutine::potrs: return "uplo n right_sides a lda b ldb";
    case LapackRoutine::geqrf: return "m n a lda tau";
    case LapackRoutine::orgqr: return "m n k a lda tau";
    case LapackRoutine::ormqr: return "side op m n k a lda tau c ldc";
    case LapackRoutine::laswp: break;
  }
  return "";
}

// From 0 to most_lapack_extent.
void check_extent(const NamedArguments& check, std::int64_t given, std::string_view name) {
  check.size(given, name);
  if (given > most_lapack_extent)
    check.require(false, name,
                  "is more than " + std::to_string(most_lapack_extent) +
                      ": the CPU BLAS's LAPACK counts in 32-bit integers");
}

void check_ld(const NamedArguments& check, std::int64_t least, std::int64_t given,
              std::string_view name) {
  check.at_least(least, given, name);
  check_extent(check, given, name);
}

void check_op_of_qr(const NamedArguments& check, const LapackProblem& p) {
  check.op(p.op);
  check.require(!is_complex(p.precision) || p.op != Op::transpose, "op",
                "is transpose: of complex matrices QR has none and conj_transpose");
}

void check_ormqr(const NamedArguments& check, const LapackProblem& p) {
  const bool is_left = p.side == Side::left;
  check.side(p.side);
  check_op_of_qr(check, p);
  const std::int64_t m = is_left ? p.m : p.right_sides, n = is_left ? p.right_sides : p.m;
  check_extent(check, m, "m");
  check_extent(check, n, "n");
  check_extent(check, p.n, "k");
  check.require(p.n <= p.m, "k", is_left ? "is more than m" : "is more than n");
  const bool has_any = m > 0 && n > 0 && p.n > 0;
  check.memory(p.a, has_any, "a");
  check_ld(check, p.m, p.lda, "lda");
  check.memory(p.tau, has_any, "tau");
  check.memory(p.b, has_any, "c");
  check_ld(check, m, p.ldb, "ldc");
}

// Of the other routines of QR.
void check_qr(const NamedArguments& check, const LapackProblem& p) {
  check_extent(check, p.m, "m");
  check_extent(check, p.n, "n");
  check.require(p.routine != LapackRoutine::orgqr || p.n <= p.m, "n", "is more than m");
  check_extent(check, p.reflectors, "k");
  check.require(p.reflectors <= p.n, "k", "is more than n");
  check.memory(p.a, !p.empty(), "a");
  check_ld(check, p.m, p.lda, "lda");
  const bool has_reflectors = p.routine == LapackRoutine::geqrf || p.reflectors > 0;
  check.memory(p.tau, !p.empty() && has_reflectors, "tau");
}

// Rows outside of B would be swapped.
void check_pivots(const NamedArguments& check, const CallerLapack& call) {
  const std::int64_t n = call.args.n;
  const std::int64_t* const end = call.pivots + n;
  const std::int64_t* const wrong =
      std::find_if(static_cast<const std::int64_t*>(call.pivots), end,
                   [n](std::int64_t pivot) { return pivot < 1 || pivot > n; });
  if (wrong == end) return;
  check.require(false, "pivots",
                "has " + std::to_string(*wrong) + " at index " +
                    std::to_string(wrong - call.pivots) + ": they are rows from 1 to " +
                    std::to_string(n));
}

}  // namespace

void check(const CallerLapack& call) {
  const LapackProblem& p = call.args;
  const NamedArguments check(argument_names(p.routine));
  if (p.routine == LapackRoutine::ormqr) return check_ormqr(check, p);
  if (is_orthogonal(p.routine)) return check_qr(check, p);
  check.uplo(p.uplo);
  check.op(p.op);
  check_extent(check, p.m, "m");
  check_extent(check, p.n, "n");
  check_extent(check, p.right_sides, "right_sides");
  const bool has_sides = has_right_sides(p.routine) && p.n > 0 && p.right_sides > 0;
  const bool reads_a =
      factorises(p.routine) || p.routine == LapackRoutine::getri ? !p.empty() : has_sides;
  check.memory(p.a, reads_a, "a");
  check_ld(check, p.routine == LapackRoutine::getrf ? p.m : p.n, p.lda, "lda");
  check.memory(call.pivots, reads_a, "pivots");
  if (p.routine == LapackRoutine::getri || (p.routine == LapackRoutine::getrs && has_sides))
    check_pivots(check, call);
  check.memory(p.b, has_sides, "b");
  check_ld(check, p.n, p.ldb, "ldb");
}

NarrowPivots::NarrowPivots(LapackProblem& problem, std::int64_t* wide) {
  if (wide == nullptr) return;
  const std::int64_t rows = problem.routine == LapackRoutine::getrf ? problem.m : problem.n;
  count_ = std::min(rows, problem.n);
  narrow_ = std::make_unique<std::int32_t[]>(static_cast<std::size_t>(count_));
  problem.pivots = narrow_.get();
  if (problem.routine == LapackRoutine::getrs || problem.routine == LapackRoutine::getri)
    std::transform(wide, wide + count_, narrow_.get(),
                   [](std::int64_t pivot) { return static_cast<std::int32_t>(pivot); });
  else
    wide_ = wide;
}

void NarrowPivots::publish() const noexcept {
  if (wide_ != nullptr) std::copy_n(narrow_.get(), count_, wide_);
}

}  // namespace duoblas

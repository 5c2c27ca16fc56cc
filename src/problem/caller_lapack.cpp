#include "problem/caller_lapack.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "problem/caller_qr.hpp"
#include "problem/inverse_routines.hpp"
#include "problem/named_arguments.hpp"

namespace duoblas {
namespace {

std::string_view argument_names(LapackRoutine routine) {
  switch (routine) {
    case LapackRoutine::getrf: return "m n a lda pivots";
    case LapackRoutine::potrf:
    case LapackRoutine::potri: return "uplo n a lda";
    case LapackRoutine::getri: return "n a lda pivots";
    case LapackRoutine::gesv: return "n right_sides a lda pivots b ldb";
    case LapackRoutine::getrs: return "op n right_sides a lda pivots b ldb";
    case LapackRoutine::posv:
    case LapackRoutine::potrs: return "uplo n right_sides a lda b ldb";
    default: return argument_names_of_qr(routine);
  }
}

// Rows outside of B would trade places.
void require_pivots(const NamedArguments& check, const CallerLapack& call) {
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
  if (is_orthogonal(p.routine)) return check_qr(check, p);
  const auto size = [&](std::int64_t given, std::string_view name) {
    require_extent(check, given, name);
  };
  check.require(p.uplo == Uplo::upper || p.uplo == Uplo::lower, "uplo",
                "is neither upper nor lower");
  check.require(is_op(p.op), "op", "is not none, transpose or conj_transpose");
  size(p.m, "m");
  size(p.n, "n");
  size(p.right_sides, "right_sides");
  // Pointers that nothing is read or written through may be null.
  constexpr const char* null = "is a null pointer";
  const bool has_sides = has_right_sides(p.routine) && p.n > 0 && p.right_sides > 0;
  const bool reads_a = factorises(p.routine) || inverts(p.routine) ? !p.empty() : has_sides;
  check.require(p.a != nullptr || !reads_a, "a", null);
  check.at_least(p.routine == LapackRoutine::getrf ? p.m : p.n, p.lda, "lda");
  size(p.lda, "lda");
  check.require(call.pivots != nullptr || !reads_a, "pivots", null);
  const bool reads_pivots =
      p.routine == LapackRoutine::getri || (p.routine == LapackRoutine::getrs && has_sides);
  if (reads_pivots) require_pivots(check, call);
  check.require(p.b != nullptr || !has_sides, "b", null);
  check.at_least(p.n, p.ldb, "ldb");
  size(p.ldb, "ldb");
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

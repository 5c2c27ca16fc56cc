#include "check/level3_check.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <random>
#include <utility>

#include "check/check_bounds.hpp"
#include "check/check_numbers.hpp"
#include "check/counted_time.hpp"
#include "check/every_element.hpp"
#include "check/inversion_errors.hpp"
#include "check/kept_memory.hpp"
#include "check/level3_elements.hpp"
#include "check/suspects.hpp"

namespace duoblas {
namespace {

// After this many rows without a wrong element, the data is taken for the cause. Finding an element
// takes longer than for a product.
constexpr std::size_t most_rows = 8;

}  // namespace

struct Level3Check::Body {
  virtual ~Body() = default;
  virtual CheckVerdict compare() = 0;
  virtual void restore_c() const noexcept = 0;
};

namespace {

template <typename R>
class TypedLevel3Check : public Level3Check::Body {
 public:
  TypedLevel3Check(const Level3Problem& problem, std::uint64_t seed, double slack,
                   const std::vector<Interval>& inverted, const CheckThreads& threads)
      : p_(problem),
        parts_(is_complex(problem.precision) ? 2 : 1),
        seed_(seed),
        inverted_lines_(inverted),
        threads_(threads),
        kept_(keep_c()),
        identity_(identity_of<R>(p_, static_cast<const R*>(kept_.data()))),
        rounding_(level3_rounding(identity_, slack)) {}

  CheckVerdict compare() override {
    const bool solves = p_.routine == Routine::trsm;
    if (solves) {
      const Term<R>& term = identity_.terms.front();
      const bool left = p_.side == Side::left;
      inverted_.emplace(left ? term.first : term.second, inverted_lines_, left,
                        smallest_normal<R> / unit_roundoff<R>, threads_);
    }
    const Level3Elements<R> elements(p_, identity_, rounding_, solves ? &*inverted_ : nullptr);
    CheckVerdict verdict;
    if (solves) verdict.wrong = elements.solution_that_should_be_finite(threads_);
    if (verdict.wrong) {
      verdict.suspected_rows = 1;
      return verdict;
    }
    return suspects().verdict(
        most_rows, [&](std::int64_t row) { return elements.wrong_in_row(row, threads_); });
  }

  void restore_c() const noexcept override {
    if (kept_.empty()) return;
    for_stored_rows(0, rows(), [&](std::int64_t at, std::int64_t at_kept, std::size_t bytes) {
      std::memcpy(static_cast<R*>(p_.c) + at, static_cast<const R*>(kept_.data()) + at_kept, bytes);
    });
  }

 private:
  std::int64_t rows() const { return stored_c(p_).rows; }

  /// For each row of C: where its stored part starts, in C and in its copy.
  template <typename RowBody>
  void for_stored_rows(std::int64_t first, std::int64_t last, RowBody&& body) const {
    for (std::int64_t i = first; i < last; ++i) {
      std::int64_t begin = 0, end = p_.n;
      if (updates_triangle(p_.routine)) {
        if (p_.uplo == Uplo::lower)
          end = i + 1;
        else
          begin = i;
      }
      body((i * p_.ldc + begin) * parts_, (i * p_.n + begin) * parts_,
           index((end - begin) * parts_) * sizeof(R));
    }
  }

  KeptMemory keep_c() const {
    if (!needs_old_c(p_)) return {};
    KeptMemory memory(index(rows() * p_.n * parts_) * sizeof(R));
    const auto keep = [&](std::int64_t at, std::int64_t at_kept, std::size_t bytes) {
      std::memcpy(static_cast<R*>(memory.data()) + at_kept, static_cast<const R*>(p_.c) + at,
                  bytes);
    };
    threads_.share(
        rows(), 1, index(rows() * p_.n * parts_) * sizeof(R),
        [&](std::int64_t begin, std::int64_t end) { for_stored_rows(begin, end, keep); });
    return memory;
  }

  // Two vectors with the same random magnitudes, from 1 to 2, and different signs.
  TwoVectors drawn() const {
    std::mt19937_64 engine(seed_);
    TwoVectors x = two_zero_vectors(p_.n, parts_);
    for (std::int64_t j = 0; j < p_.n; ++j) {
      const RandomNumber number(engine);
      for (int one = 0; one < 2; ++one)
        x[index(one)].values[index(j * parts_)] = number.with_sign(number.size, one);
      x[0].magnitudes[index(j)] = number.size;
    }
    return x;
  }

  Suspects suspects() const {
    TwoVectors x = drawn();
    if (inverted_ && p_.side == Side::right) inverted_->widen(x[0].magnitudes);
    const double of_x = sum(x[0].magnitudes);
    TwoVectors sums = two_zero_vectors(rows(), parts_);
    double factors = rounding_.operations * of_x;  // as element_at's
    for (const Term<R>& term : identity_.terms) {
      const TwoVectors y = term.second.times(x, threads_);
      add_to(sums, 0, term.first.times(y, threads_), parts_, term.factor);
      factors += std::abs(term.factor) * (of_x + sum(y[0].magnitudes));
    }
    for (const Summand<R>& summand : identity_.summands) {
      TwoVectors part = summand.matrix.times(x, threads_);
      if (summand.is_result) std::ranges::fill(part[0].magnitudes, 0);
      add_to(sums, 0, part, parts_, summand.factor);
      factors += std::abs(summand.factor) * of_x;
    }
    std::vector<double>& magnitudes = sums[0].magnitudes;
    for (double& value : magnitudes) value += smallest_normal<R> / unit_roundoff<R> * factors;
    if (inverted_ && p_.side == Side::left) inverted_->widen(magnitudes);
    const double units = suspicious_units<R>(rounding_.slack, rounding_.operations);
    const double likely = units * unit_roundoff<R> / std::sqrt(static_cast<double>(p_.n));
    Suspects suspects;
    for (std::int64_t i = 0; i < rows(); ++i) {
      if (!std::isfinite(magnitudes[index(i)])) continue;  // the result need not be finite either
      const double difference = difference_of(sums, i);
      const double allowed = likely * magnitudes[index(i)];
      if (difference > allowed) suspects.add(difference / allowed, i);
    }
    return suspects;
  }

  double difference_of(const TwoVectors& sums, std::int64_t row) const {
    double difference = 0;
    for (const WeightVector& one : sums)
      for (std::int64_t part = row * parts_; part < (row + 1) * parts_; ++part) {
        const double of_part = std::abs(one.values[index(part)]);
        if (!std::isfinite(of_part)) return std::numeric_limits<double>::infinity();
        difference = std::max(difference, of_part);
      }
    return difference;
  }

  const Level3Problem p_;
  const int parts_;
  const std::uint64_t seed_;
  const std::vector<Interval> inverted_lines_;
  const CheckThreads threads_;
  const KeptMemory kept_;
  const Identity<R> identity_;
  const ElementRounding rounding_;
  std::optional<InversionErrors> inverted_;
};

}  // namespace

Level3Check::Level3Check(const Level3Problem& problem, std::uint64_t seed, double slack,
                         const std::vector<Interval>& inverted, const CheckThreads& threads) {
  const CountedTime counted(seconds_);
  if (is_double(problem.precision))
    body_ = std::make_unique<TypedLevel3Check<double>>(problem, seed, slack, inverted, threads);
  else
    body_ = std::make_unique<TypedLevel3Check<float>>(problem, seed, slack, inverted, threads);
}

Level3Check::Level3Check(Level3Check&&) noexcept = default;
Level3Check::~Level3Check() = default;

CheckVerdict Level3Check::compare() {
  const CountedTime counted(seconds_);
  return body_->compare();
}

void Level3Check::restore_c() const noexcept {
  body_->restore_c();
}

bool can_check(const Level3Problem& p) {
  return !p.empty() && !p.only_scales_c() && is_finite(p.alpha) && is_finite(p.beta);
}

std::string describe(const WrongElement& wrong, const Level3Problem& problem) {
  GemmProblem whole;
  whole.precision = problem.precision;
  whole.m = stored_c(problem).rows;
  whole.n = problem.n;
  return describe(wrong, whole);
}

}  // namespace duoblas

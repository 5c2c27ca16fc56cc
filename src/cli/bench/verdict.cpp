#include "cli/bench/verdict.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace duoblas::cli {
namespace {

// Student's t, two-sided 99 %, by degrees of freedom from 1 on. So few samples say little of their
// own spread.
constexpr std::array<double, 15> kStudent = {63.66, 9.92, 5.84, 4.60, 4.03, 3.71, 3.50, 3.36,
                                             3.25,  3.17, 3.11, 3.05, 3.01, 2.98, 2.95};
constexpr double kNormal = 2.58;

double student(int degrees) {
  const auto place = static_cast<std::size_t>(degrees - 1);
  return place < kStudent.size() ? kStudent[place] : std::max(kNormal, kNormal + 5.5 / degrees);
}

// The median's standard error over the median. Quartiles of a normal distribution are 1.349
// standard deviations apart, and its median is 1.2533 times as uncertain as its mean.
double relative_error(const MeasuredTime& time) {
  return 1.2533 / 1.349 * (time.q3 - time.q1) / time.median / std::sqrt(time.rounds);
}

}  // namespace

Verdict judge(const MeasuredTime& then, const MeasuredTime& now) {
  Verdict verdict;
  verdict.speed = then.median / now.median;
  const int fewest = std::min(then.rounds, now.rounds);
  if (fewest < 2) {
    verdict.margin = std::numeric_limits<double>::infinity();
    return verdict;
  }
  verdict.margin =
      std::max(drift_between_runs,
               student(fewest - 1) * std::hypot(relative_error(then), relative_error(now)));
  if (verdict.speed > 1 + verdict.margin) verdict.change = Change::faster;
  if (verdict.speed * (1 + verdict.margin) < 1) verdict.change = Change::slower;
  return verdict;
}

const char* name(Change change) {
  if (change == Change::faster) return "faster";
  if (change == Change::slower) return "slower";
  return "same within noise";
}

}  // namespace duoblas::cli

// The lines of a result that differ by more than rounding errors are likely to cause, and which of
// them are computed again. A check blames a line only for an element whose own error exceeds its
// bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "check/product_check.hpp"

namespace duoblas {

class Suspects {
 public:
  /// `ratio`: the difference over the likely one; NaN is the largest.
  void add(double ratio, std::int64_t line) {
    lines_.emplace_back(std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio, line);
  }
  /// `wrong_in(line)` finds a wrong element of a line, or none. It is called for at most so many
  /// lines, those with the largest ratios first. If none of them has one, the check takes the data
  /// for the cause.
  template <typename WrongIn>
  CheckVerdict verdict(std::size_t most_lines, WrongIn&& wrong_in) {
    CheckVerdict verdict;
    verdict.suspected_rows = static_cast<std::int64_t>(lines_.size());
    const std::size_t looked_at = std::min(most_lines, lines_.size());
    std::ranges::partial_sort(lines_, lines_.begin() + static_cast<std::ptrdiff_t>(looked_at),
                              std::greater<>());
    for (std::size_t i = 0; i < looked_at && !verdict.wrong; ++i)
      verdict.wrong = wrong_in(lines_[i].second);
    verdict.gave_up = !verdict.wrong && looked_at < lines_.size();
    return verdict;
  }

 private:
  std::vector<std::pair<double, std::int64_t>> lines_;
};

}  // namespace duoblas

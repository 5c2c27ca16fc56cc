#include "check/result_check.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>

#include "os/processor_use.hpp"

namespace duoblas {
namespace {

std::string digits_of(std::complex<double> value, bool is_complex) {
  char digits[64];
  if (is_complex)
    std::snprintf(digits, sizeof digits, "%.9g%+.9gi", value.real(), value.imag());
  else
    std::snprintf(digits, sizeof digits, "%.9g", value.real());
  return digits;
}

}  // namespace

std::string describe(const WrongElement& wrong, bool is_complex, std::int64_t rows,
                     std::int64_t columns) {
  return "element (" + std::to_string(wrong.row) + ", " + std::to_string(wrong.column) + ") of " +
         std::to_string(rows) + " x " + std::to_string(columns) + " is " +
         digits_of(wrong.is, is_complex) + " and should be " +
         digits_of(wrong.should_be, is_complex);
}

double ResultCheck::Counted::now() {
  return thread_seconds();
}

void ResultCheck::predict() {
  const Counted counted(*this);
  if (!is_predicted_) do_predict();
  is_predicted_ = true;
}

CheckVerdict ResultCheck::compare() {
  predict();
  const Counted counted(*this);
  return do_compare();
}

void Suspects::add(double ratio, std::int64_t line) {
  lines_.emplace_back(std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio, line);
}

std::vector<std::int64_t> Suspects::worst(std::size_t most) {
  const std::size_t count = std::min(most, lines_.size());
  std::ranges::partial_sort(lines_, lines_.begin() + static_cast<std::ptrdiff_t>(count),
                            std::greater<>());
  std::vector<std::int64_t> lines;
  for (std::size_t i = 0; i < count; ++i) lines.push_back(lines_[i].second);
  return lines;
}

}  // namespace duoblas

#include "cli/bench/sweep.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string_view>

#include "cli/arguments.hpp"

namespace duoblas::cli {
namespace {

constexpr std::int64_t extent_of_the_unnamed = 1024;
constexpr std::size_t most_shapes = 1000;
/// Far above any matrix, and far enough below 2^63 that a step or a factor cannot overflow.
constexpr double largest_extent = 1e12;

struct Range {
  std::int64_t first = 0;
  std::int64_t last = 0;
  bool is_factor = false;
  double step = 0;
};

class SweepText {
 public:
  explicit SweepText(const std::string& text) : text_(text) {}

  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError("--sweep " + text_ + " is not understood: " + why +
                     ". The form is EXTENTS=FIRST:LAST:*FACTOR or EXTENTS=FIRST:LAST:+STEP, e.g. "
                     "m=256:8192:*2, mnk=512:4096:+512 or mn=256:4096:*2,k=64");
  }

  std::int64_t extent(std::string_view digits) const {
    return number<std::int64_t>(digits, 1, "no positive number");
  }

  Range range(std::string_view words) const {
    const auto first = words.find(':');
    const auto second = words.find(':', first + 1);
    if (second == std::string_view::npos || words.find(':', second + 1) != std::string_view::npos)
      refuse("\"" + std::string(words) + "\" has not the three parts FIRST:LAST:STEP");
    Range range{extent(words.substr(0, first)), extent(words.substr(first + 1, second - first - 1)),
                false, 0};
    if (range.first > range.last) refuse("the first is larger than the last");
    const std::string_view step = words.substr(second + 1);
    if (step.empty() || (step[0] != '*' && step[0] != '+'))
      refuse("\"" + std::string(step) + "\" begins with neither * nor +");
    range.is_factor = step[0] == '*';
    range.step =
        range.is_factor ? factor(step.substr(1)) : static_cast<double>(extent(step.substr(1)));
    return range;
  }

 private:
  double factor(std::string_view digits) const {
    // Below it there is no end of values that round to the same.
    constexpr double least = 1.001;
    return number<double>(digits, least, "no factor of 1.001 or more");
  }

  template <typename Number>
  Number number(std::string_view digits, Number least, const char* otherwise) const {
    Number value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || !(value >= least) ||
        !(static_cast<double>(value) <= largest_extent))
      refuse("\"" + std::string(digits) + "\" is " + otherwise);
    return value;
  }

  const std::string& text_;
};

std::vector<std::int64_t> values_of(const Range& range, const SweepText& sweep) {
  std::vector<std::int64_t> values;
  const auto last = static_cast<double>(range.last);
  // From the exact values, so that *1.5 does not gather what was rounded.
  for (double exact = static_cast<double>(range.first); exact < last + 0.5;
       exact = range.is_factor ? exact * range.step : exact + range.step) {
    const auto value = static_cast<std::int64_t>(std::llround(exact));
    if (values.empty() || values.back() != value) values.push_back(value);
    if (values.size() > most_shapes)
      sweep.refuse("it has more than " + std::to_string(most_shapes) + " shapes");
  }
  return values;
}

void set_extents(Shape& shape, std::string_view letters, std::int64_t value) {
  for (const char letter : letters)
    (letter == 'm' ? shape.m : letter == 'n' ? shape.n : shape.k) = value;
}

}  // namespace

std::vector<Shape> shapes_of_sweep(const std::string& text) {
  const SweepText sweep(text);
  Shape base{extent_of_the_unnamed, extent_of_the_unnamed, extent_of_the_unnamed};
  std::string swept, named;
  std::optional<Range> range;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto equals = part.find('=');
    const std::string letters = part.substr(0, equals);
    if (equals == std::string::npos || letters.empty()) sweep.refuse("an EXTENTS= is missing");
    for (const char letter : letters) {
      if (std::string_view("mnk").find(letter) == std::string_view::npos)
        sweep.refuse("the extents are m, n and k, not \"" + letters + "\"");
      if (named.find(letter) != std::string::npos)
        sweep.refuse(std::string(1, letter) + " is given twice");
      named += letter;
    }
    const std::string value = part.substr(equals + 1);
    if (value.find(':') == std::string::npos) {
      set_extents(base, letters, sweep.extent(value));
    } else {
      if (range) sweep.refuse("one range is enough: give --sweep twice for two");
      range = sweep.range(value);
      swept = letters;
    }
  }
  if (!range) sweep.refuse("there is no range");
  std::vector<Shape> shapes;
  for (const std::int64_t value : values_of(*range, sweep)) {
    shapes.push_back(base);
    set_extents(shapes.back(), swept, value);
  }
  return shapes;
}

}  // namespace duoblas::cli

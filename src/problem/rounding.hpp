// How many parts a whole has, the last one perhaps smaller.
#pragma once

#include <cstdint>

namespace duoblas {

/// whole / part, rounded up: whole >= 0, part >= 1.
constexpr std::int64_t parts(std::int64_t whole, std::int64_t part) {
  return (whole + part - 1) / part;
}

/// The smallest multiple that is no less than value >= 0.
constexpr std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return parts(value, multiple) * multiple;
}

}  // namespace duoblas

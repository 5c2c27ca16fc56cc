// The factors of families and classes, in memory that does not grow: a set-associative cache.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "planner/forecast.hpp"

namespace duoblas {

struct NothingElse {};

/// A key lives in one of the four places that its hash names. If others have taken all four, the
/// one that was not used for the longest time is forgotten. `Other`: what is known of a key beside
/// the factors, and not kept for later processes.
template <typename Factor, std::size_t sets, typename Other = NothingElse>
class KeyTable {
 public:
  struct Place {
    std::uint64_t key = 0;  ///< 0: free
    std::uint64_t last_use = 0;
    CallKind::Group group = CallKind::products;
    std::array<Factor, learned_places> factors;
    Other other{};
  };

  const Place* find(std::uint64_t key) const {
    const Place* const first = &places[first_of(key)];
    const Place* const found = std::find_if(
        first, first + ways, [key](const Place& candidate) { return candidate.key == key; });
    return found == first + ways ? nullptr : found;
  }

  Place& find_or_take(std::uint64_t key, CallKind::Group group, std::uint64_t use) {
    Place* const first = &places[first_of(key)];
    Place* place = std::find_if(first, first + ways,
                                [key](const Place& candidate) { return candidate.key == key; });
    if (place == first + ways) {
      const auto age = [](const Place& p) { return std::pair(p.key != 0, p.last_use); };
      place = std::min_element(first, first + ways,
                               [&](const Place& x, const Place& y) { return age(x) < age(y); });
      *place = {key, use, group, {}, {}};
    }
    place->last_use = use;
    return *place;
  }

  static constexpr std::size_t ways = 4;
  std::array<Place, sets * ways> places;

 private:
  static std::size_t first_of(std::uint64_t key) {
    return (key >> (64 - std::bit_width(sets - 1))) * ways;
  }
};

}  // namespace duoblas

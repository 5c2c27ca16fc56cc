// The factors of families and classes, in memory that does not grow: a set-associative cache.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "planner/forecast.hpp"

namespace duoblas {

struct NothingElse {};

/// A key lives in one of the four places that its hash names. If others have taken all four, the
/// one that was not used for the longest time is forgotten. `Other`: what is known of a key beside
/// the factors, and not kept for later processes.
///
/// Most programs take a few places of over half a megabyte. So a place is not written to before it
/// is taken: a process that only begins to multiply would wait for 150 new pages.
template <typename Factor, std::size_t sets, typename Other = NothingElse>
class KeyTable {
 public:
  struct Place {
    std::uint64_t key = 0;
    std::uint64_t last_use = 0;
    CallKind::Group group = CallKind::products;
    Other other{};
    std::array<Factor, timed_models> factors;
  };
  static_assert(std::is_trivially_copyable_v<Place> && std::is_trivially_destructible_v<Place>);

  const Place* find(std::uint64_t key) const {
    const std::size_t found = place_of(key);
    return found == nowhere ? nullptr : &at(found);
  }

  Place& find_or_take(std::uint64_t key, CallKind::Group group, std::uint64_t use) {
    std::size_t place = place_of(key);
    if (place == nowhere) {
      place = place_to_take(first_of(key));
      keys_[place] = key;
      taken_[place / 64] |= std::uint64_t{1} << (place % 64);
      std::construct_at(&at(place), Place{key, use, group, {}, {}});
    }
    at(place).last_use = use;
    return at(place);
  }

  /// Calls `body(place)` for each place that is taken.
  template <typename Body>
  void for_each(Body&& body) const {
    for (std::size_t first = 0; first < places; first += 64)
      for (std::uint64_t rest = taken_[first / 64]; rest != 0; rest &= rest - 1)
        body(at(first + static_cast<std::size_t>(std::countr_zero(rest))));
  }

  void forget_all() {
    keys_.fill(0);
    taken_.fill(0);
  }

 private:
  static constexpr std::size_t ways = 4, places = sets * ways, nowhere = places;

  static std::size_t first_of(std::uint64_t key) {
    return (key >> (64 - std::bit_width(sets - 1))) * ways;
  }

  std::size_t place_of(std::uint64_t key) const {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(first_of(key));
    const auto found = std::find(first, first + ways, key);
    return key == 0 || found == first + ways ? nowhere
                                             : static_cast<std::size_t>(found - keys_.begin());
  }

  std::size_t place_to_take(std::size_t first) const {
    std::size_t oldest = first;
    for (std::size_t place = first; place < first + ways; ++place) {
      if (keys_[place] == 0) return place;
      if (at(place).last_use < at(oldest).last_use) oldest = place;
    }
    return oldest;
  }

  Place& at(std::size_t place) {
    return *std::launder(reinterpret_cast<Place*>(memory_.data() + place * sizeof(Place)));
  }
  const Place& at(std::size_t place) const {
    return *std::launder(reinterpret_cast<const Place*>(memory_.data() + place * sizeof(Place)));
  }

  std::array<std::uint64_t, places> keys_{};               ///< 0: free, and its place is no object
  std::array<std::uint64_t, (places + 63) / 64> taken_{};  ///< a bit of each that is not
  alignas(Place) std::array<std::byte, places * sizeof(Place)> memory_;
};

}  // namespace duoblas

// Random choices that follow from a seed and a number, whatever was drawn for other numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>

namespace duoblas::soak {

/// SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number generators, 2014): it starts
/// in no time, so that each call has a generator of its own.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t stream)
      : state_(seed * 0x9e3779b97f4a7c15u ^ (stream + 1) * 0xd1b54a32d192ed03u) {
    next();
    next();
  }

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// From 0 to n - 1.
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(n));
  }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + below(most - least + 1);
  }
  bool one_in(std::int64_t n) { return below(n) == 0; }

  template <typename Value>
  Value pick(std::span<const Value> values) {
    return values[static_cast<std::size_t>(below(static_cast<std::int64_t>(values.size())))];
  }
  template <typename Value>
  Value pick(std::initializer_list<Value> values) {
    return pick(std::span<const Value>(values.begin(), values.size()));
  }

  /// A multiple of 2^(1 - bits) in [-1, 1).
  double on_grid(int bits) {
    const auto whole = static_cast<std::int64_t>(next()) >> (64 - bits);
    return static_cast<double>(whole) / static_cast<double>(std::int64_t{1} << (bits - 1));
  }

 private:
  std::uint64_t state_;
};

}  // namespace duoblas::soak

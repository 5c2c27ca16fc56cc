// Sums of integers times powers of two, exactly, and the double nearest to one.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace duoblas::test {

/// Fixed point in two's complement, from 2^-2600 on.
class ExactSum {
 public:
  /// Adds (-1)^negative number 2^exponent. \pre -2600 <= exponent, and the sum is below 2^2400.
  void add(bool negative, std::uint64_t number, int exponent) {
    const auto at = static_cast<std::size_t>(exponent + lowest);
    const std::array<std::uint32_t, 2> halves = {static_cast<std::uint32_t>(number),
                                                 static_cast<std::uint32_t>(number >> 32)};
    for (std::size_t half = 0; half < 2; ++half) {
      const std::size_t bit = at + 32 * half;
      add_piece(negative, std::uint64_t{halves[half]} << (bit % 32), bit / 32);
    }
  }

  double nearest() const {
    Words magnitude = words_;
    const bool negative = words_.back() >> 31 != 0;
    if (negative) {
      std::uint64_t carry = 1;
      for (std::uint32_t& word : magnitude) {
        carry += static_cast<std::uint32_t>(~word);
        word = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    const auto bit = [&](int at) {
      return at >= 0 ? magnitude[size(at / 32)] >> (at % 32) & 1 : 0;
    };
    int top = static_cast<int>(32 * count) - 1;
    while (top >= 0 && bit(top) == 0) --top;
    if (top < 0) return 0;
    int last = std::max(top - 52, lowest - 1074);
    std::uint64_t number = 0;
    for (int at = top; at >= last; --at) number = 2 * number + bit(at);
    bool below = false;
    for (int at = 0; at < last - 1; ++at) below = below || bit(at) != 0;
    if (bit(last - 1) != 0 && (below || number % 2 != 0)) ++number;
    const double value = std::ldexp(static_cast<double>(number), last - lowest);
    return negative ? -value : value;
  }

 private:
  static constexpr int lowest = 2600;
  static constexpr std::size_t count = 160;
  using Words = std::array<std::uint32_t, count>;
  static std::size_t size(int at) { return static_cast<std::size_t>(at); }

  void add_piece(bool negative, std::uint64_t piece, std::size_t word) {
    std::uint64_t carry = negative ? 1 : 0;
    for (std::size_t i = word; i < count; ++i) {
      const std::uint32_t part =
          i < word + 2 ? static_cast<std::uint32_t>(piece >> 32 * (i - word)) : 0;
      carry += std::uint64_t{words_[i]} + (negative ? static_cast<std::uint32_t>(~part) : part);
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
  }

  Words words_{};
};

}  // namespace duoblas::test

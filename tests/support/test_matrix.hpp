// Matrices for tests: padded rows, any alignment, and guards that show a write out of place.
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace duoblas::test {

template <typename T>
struct RealOf {
  using type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <typename T>
using Real = typename RealOf<T>::type;

template <typename T>
inline constexpr bool is_complex_type = !std::is_same_v<T, Real<T>>;

/// Uniform in [-1, 1), both components for complex types.
template <typename T>
T random_value(std::mt19937_64& engine) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  if constexpr (is_complex_type<T>) {
    const double re = uniform(engine);
    const double im = uniform(engine);
    return T(static_cast<Real<T>>(re), static_cast<Real<T>>(im));
  } else {
    return static_cast<T>(uniform(engine));
  }
}

template <typename T>
T nan_value() {
  const auto nan = std::numeric_limits<Real<T>>::quiet_NaN();
  if constexpr (is_complex_type<T>) {
    return T(nan, nan);
  } else {
    return nan;
  }
}

/// `lines` lines of `length` elements, `pad` more elements between lines, starting `offset`
/// elements past a 64-byte boundary. All that is not the matrix is a guard: a value that no
/// product gives, checked by guards_untouched().
template <typename T>
class TestMatrix {
 public:
  TestMatrix(std::int64_t lines, std::int64_t length, std::int64_t pad = 0, std::int64_t offset = 0)
      : lines_(lines), length_(length), ld_(std::max<std::int64_t>(1, length + pad)) {
    const auto body = static_cast<std::size_t>(lines * ld_);
    memory_.assign(body + 2 * margin + static_cast<std::size_t>(offset), guard());
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data() + margin / 2);
    const std::size_t to_boundary = (64 - address % 64) % 64 / sizeof(T);
    start_ = margin / 2 + to_boundary + static_cast<std::size_t>(offset);
  }

  T* data() { return memory_.data() + start_; }
  const T* data() const { return memory_.data() + start_; }
  std::int64_t ld() const { return ld_; }
  std::int64_t lines() const { return lines_; }
  std::int64_t length() const { return length_; }
  T& at(std::int64_t line, std::int64_t i) { return data()[line * ld_ + i]; }
  const T& at(std::int64_t line, std::int64_t i) const { return data()[line * ld_ + i]; }

  template <typename Make>
  void fill(Make&& make) {
    for (std::int64_t line = 0; line < lines_; ++line) {
      for (std::int64_t i = 0; i < length_; ++i) at(line, i) = make();
    }
  }
  void randomise(std::uint64_t seed) {
    std::mt19937_64 engine(seed);
    fill([&] { return random_value<T>(engine); });
  }

  bool guards_untouched() const {
    const T expected = guard();
    for (std::size_t at = 0; at < memory_.size(); ++at) {
      const auto from_start = static_cast<std::int64_t>(at) - static_cast<std::int64_t>(start_);
      const bool inside =
          from_start >= 0 && from_start < lines_ * ld_ && from_start % ld_ < length_;
      if (!inside && std::memcmp(&memory_[at], &expected, sizeof(T)) != 0) return false;
    }
    return true;
  }

 private:
  static constexpr std::size_t margin = 64;
  static T guard() { return T(Real<T>(-987654.25)); }

  std::int64_t lines_;
  std::int64_t length_;
  std::int64_t ld_;
  std::size_t start_ = 0;
  std::vector<T> memory_;
};

}  // namespace duoblas::test

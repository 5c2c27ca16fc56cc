// The four element types of BLAS.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <cstdint>

namespace duoblas {

/// s: float, d: double, c: complex<float>, z: complex<double>.
enum class Precision : char { s = 's', d = 'd', c = 'c', z = 'z' };

inline constexpr std::size_t precision_count = 4;
inline constexpr std::array<Precision, precision_count> all_precisions = {
    Precision::s, Precision::d, Precision::c, Precision::z};

/// The place of a precision in all_precisions, and in every table that has one entry for each.
constexpr std::size_t precision_index(Precision precision) {
  switch (precision) {
    case Precision::s: return 0;
    case Precision::d: return 1;
    case Precision::c: return 2;
    case Precision::z: return 3;
  }
  return 0;
}

constexpr std::size_t element_size(Precision p) {
  switch (p) {
    case Precision::s: return 4;
    case Precision::d: return 8;
    case Precision::c: return 8;
    case Precision::z: return 16;
  }
  return 0;
}

constexpr bool is_complex(Precision p) {
  return p == Precision::c || p == Precision::z;
}

/// True where the components are doubles (d and z).
constexpr bool is_double(Precision p) {
  return p == Precision::d || p == Precision::z;
}

/// The real numbers of an element.
constexpr int reals_of(Precision p) {
  return is_complex(p) ? 2 : 1;
}

/// The place so many elements further on; null stays null.
inline const void* advanced(const void* data, std::int64_t elements, Precision p) {
  if (data == nullptr) return nullptr;
  return static_cast<const char*>(data) + elements * static_cast<std::int64_t>(element_size(p));
}
inline void* advanced(void* data, std::int64_t elements, Precision p) {
  return const_cast<void*>(advanced(static_cast<const void*>(data), elements, p));
}

constexpr char letter(Precision p) {
  return static_cast<char>(p);
}

template <typename T>
struct PrecisionOf;
template <>
struct PrecisionOf<float> {
  static constexpr Precision value = Precision::s;
};
template <>
struct PrecisionOf<double> {
  static constexpr Precision value = Precision::d;
};
template <>
struct PrecisionOf<std::complex<float>> {
  static constexpr Precision value = Precision::c;
};
template <>
struct PrecisionOf<std::complex<double>> {
  static constexpr Precision value = Precision::z;
};
template <typename T>
inline constexpr Precision precision_of = PrecisionOf<T>::value;

}  // namespace duoblas

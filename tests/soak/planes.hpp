// The reference's arithmetic: matrices of doubles, real and imaginary parts apart, so that loops
// are vectorised. Independent of everything that is tested.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <duoblas/types.hpp>

namespace duoblas::soak {

/// Dense and row-major. `im` is empty for real matrices.
struct Planes {
  std::int64_t rows = 0, cols = 0;
  std::vector<double> re, im;

  Planes(std::int64_t r, std::int64_t c, bool complex)
      : rows(r), cols(c), re(static_cast<std::size_t>(r * c)), im(complex ? re.size() : 0) {}
  bool is_complex() const { return !im.empty(); }
  std::size_t at(std::int64_t i, std::int64_t j) const {
    return static_cast<std::size_t>(i * cols + j);
  }
  std::complex<double> value(std::int64_t i, std::int64_t j) const {
    const std::size_t place = at(i, j);
    return {re[place], is_complex() ? im[place] : 0};
  }
  void set(std::int64_t i, std::int64_t j, std::complex<double> x) {
    const std::size_t place = at(i, j);
    re[place] = x.real();
    if (is_complex()) im[place] = x.imag();
  }
};

/// As the caller's memory has it.
template <typename T>
Planes read_matrix(const T* x, std::int64_t ld, Layout layout, std::int64_t rows, std::int64_t cols,
                   bool complex) {
  Planes planes(rows, cols, complex);
  const bool by_rows = layout == Layout::row_major;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) {
      const T& element = by_rows ? x[i * ld + j] : x[j * ld + i];
      const std::size_t place = planes.at(i, j);
      if constexpr (std::is_floating_point_v<T>) {
        planes.re[place] = static_cast<double>(element);
      } else {
        planes.re[place] = static_cast<double>(element.real());
        if (complex) planes.im[place] = static_cast<double>(element.imag());
      }
    }
  return planes;
}

Planes applied(Op op, const Planes& x);
Planes product(const Planes& a, const Planes& b);
/// sum += factor x.
void add_scaled(std::complex<double> factor, const Planes& x, Planes& sum);

/// The Euclidean norm of each row; not finite where the row is not.
std::vector<double> row_norms(const Planes& x);
std::vector<double> column_norms(const Planes& x);

}  // namespace duoblas::soak

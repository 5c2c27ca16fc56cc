#include "check/every_element.hpp"

#include <complex>
#include <cstdint>
#include <cstdio>

#include "check/product_elements.hpp"

namespace duoblas {
namespace {

template <typename R>
std::optional<WrongElement> first_wrong(const GemmProblem& product, const void* c0, double slack) {
  const ElementRounding rounding = product_rounding<R>(product, slack);
  StoredMatrix<R> old = stored_c<R>(product);
  old.data = static_cast<const R*>(c0);
  old.ld = product.n;
  for (std::int64_t row = 0; row < product.m; ++row)
    if (auto wrong = wrong_in_row(product, old, rounding, row)) return wrong;
  return {};
}

std::string digits_of(std::complex<double> value, Precision precision) {
  char digits[64];
  if (is_complex(precision))
    std::snprintf(digits, sizeof digits, "%.9g%+.9gi", value.real(), value.imag());
  else
    std::snprintf(digits, sizeof digits, "%.9g", value.real());
  return digits;
}

}  // namespace

std::optional<WrongElement> wrong_element(const GemmProblem& product, const void* c0,
                                          double slack) {
  return is_double(product.precision) ? first_wrong<double>(product, c0, slack)
                                      : first_wrong<float>(product, c0, slack);
}

std::string describe(const WrongElement& wrong, const GemmProblem& product) {
  return "element (" + std::to_string(wrong.row) + ", " + std::to_string(wrong.column) + ") of " +
         std::to_string(product.m) + " x " + std::to_string(product.n) + " is " +
         digits_of(wrong.is, product.precision) + " and should be " +
         digits_of(wrong.should_be, product.precision);
}

}  // namespace duoblas

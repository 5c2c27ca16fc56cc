// The elements of a level-3 routine's identity, one by one, in higher precision.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>

#include "check/check_bounds.hpp"
#include "check/identity.hpp"
#include "check/inversion_errors.hpp"
#include "check/product_check.hpp"

namespace duoblas {

template <typename R>
ElementRounding level3_rounding(const Identity<R>& identity, double slack) {
  const ShapedMatrix<R>& first = identity.terms.front().first;
  const auto depth = static_cast<double>(first.columns() * first.stored.parts);
  return {depth * static_cast<double>(identity.terms.size()), other_roundings_of_level3,
          unit_roundoff<R>, slack};
}

template <typename R>
class Level3Elements {
 public:
  /// `inverted`: null if nothing is solved. All arguments outlive this object.
  Level3Elements(const Level3Problem& problem, const Identity<R>& identity,
                 const ElementRounding& rounding, const InversionErrors* inverted)
      : p_(problem), identity_(identity), rounding_(rounding), inverted_(inverted) {}

  /// The row's most suspicious element, if its error is larger than any order of additions
  /// explains.
  std::optional<WrongElement> wrong_in_row(std::int64_t row, const CheckThreads& threads) const;

  /// The solution of a system is finite if the system is not singular and its numbers are not so
  /// large that sums overflow. Then its first line that is not finite proves the device wrong. \pre
  /// trsm.
  std::optional<WrongElement> solution_that_should_be_finite(const CheckThreads& threads) const;

 private:
  using Wide = Wider<R>;
  struct Element {
    IdentityElement<R> terms;
    Wide error = 0;      ///< of the worse part
    Wide magnitude = 0;  ///< to which it is relative
  };

  bool is_left() const { return p_.side == Side::left; }
  const ShapedMatrix<R>& triangle() const;
  const ShapedMatrix<R>& solution() const;
  std::complex<double> solution_at(std::int64_t line, std::int64_t rhs) const;
  Element element_at(std::int64_t i, std::int64_t j) const;
  Wide bounding_magnitude(std::int64_t i, std::int64_t j, Wide own) const;
  std::int64_t first_line_not_finite(std::int64_t rhs) const;
  bool should_be_finite(std::int64_t line, std::int64_t rhs) const;

  const Level3Problem& p_;
  const Identity<R>& identity_;
  const ElementRounding& rounding_;
  const InversionErrors* inverted_;
};

}  // namespace duoblas

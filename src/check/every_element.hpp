// Checks a small product element by element.
#pragma once

#include <optional>
#include <string>

#include "check/product_check.hpp"

namespace duoblas {

/// The first element of C whose error is larger than any order of additions explains, in O(mnk).
/// `c0`: C before the product, m x n without gaps; null if beta == 0. `slack`: as for ProductCheck.
/// \throws std::bad_alloc. \pre can_check(product).
std::optional<WrongElement> wrong_element(const GemmProblem& product, const void* c0,
                                          double slack = 1);

/// "element (3, 4) of 5 x 6 is 1 and should be 2".
std::string describe(const WrongElement& wrong, const GemmProblem& product);

}  // namespace duoblas

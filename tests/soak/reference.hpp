// What a random call should give, element by element, and how far from it each element may be.
#pragma once

#include <array>

#include "soak/planes.hpp"
#include "soak/soak_call.hpp"

namespace duoblas::soak {

/// The bounds are those that hold for every order of the sums (Higham, Accuracy and Stability of
/// Numerical Algorithms, sections 3.5 and 8.1), with norms of rows and columns for sums of products
/// of absolute values: |error| <= (k + 4) u |alpha| |a_i| |b_j| + (3 + s) u |beta c|, where s
/// partial sums are added to C; twice sqrt(2) times that for complex numbers. Where a bound is not
/// finite, the element shall not be.
struct Reference {
  Planes expected;
  std::vector<double> bound;  ///< as expected, row-major
};

/// `stored`: A, B and C before the call as they lie in memory, row-major. An operand that is not to
/// be read may be empty. Not for trsm.
Reference reference_of(const SoakCall& call, const std::array<Planes, 3>& stored);

/// The same for what trsm's result must fulfil: op(A) X (or X op(A)) is `computed`, and alpha B is
/// expected.
struct Residual {
  Planes computed;
  Reference reference;
};
Residual residual_of(const SoakCall& call, const std::array<Planes, 3>& stored, const Planes& x);

/// Whether an element of the result is stored.
bool in_result(const SoakCall& call, std::int64_t i, std::int64_t j);

/// Units of roundoff of the element type's bounds: u, or 2 sqrt(2) u.
double roundoff(Precision precision);

}  // namespace duoblas::soak

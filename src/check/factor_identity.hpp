// The identities of LAPACK's routines: two products with the same random vector, that of what the
// device computed and that of what it was given.
#pragma once

#include <cstdint>

#include "check/chain.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// One side of an identity. Of an infinity in the product of the `known` factors with a vector
/// nobody can tell what should become of it.
template <typename R>
struct FactorProduct {
  Chain<R> lines;  ///< whose lines are compared
  Chain<R> known;  ///< behind these; neither computed by the device nor replaced by it

  Chain<R> whole() const {
    Chain<R> all = lines;
    all.insert(all.end(), known.begin(), known.end());
    return all;
  }
};

template <typename R>
struct FactorIdentity {
  FactorProduct<R> is, should_be;
  Sizes sizes = Sizes::magnitudes;  ///< none: the norm of a line bounds its errors
  std::int64_t lines = 0;           ///< that are compared
  std::int64_t size = 0;            ///< elements of the random vector, and of a line
  std::int64_t depth = 0;           ///< roundings that lead to an element
  std::int64_t underflows = 0;      ///< operations in which numbers are taken for zero
  bool by_columns = false;          ///< lines are columns of the matrices, which are turned

  bool factorises() const { return sizes == Sizes::squares; }
  bool has_norms() const { return sizes == Sizes::none; }
};

/// What the call overwrites, by columns.
template <typename R>
StoredMatrix<R> written_matrix(const LapackProblem& problem);
/// `saved`: a copy of that, from before.
template <typename R>
FactorIdentity<R> identity_of(const LapackProblem& problem, const StoredMatrix<R>& saved);

}  // namespace duoblas

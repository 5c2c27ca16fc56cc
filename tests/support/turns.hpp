// Parts of a test that element types take turns at: what takes the time is compiling a kernel for
// each.
#pragma once

#include <cstdlib>

#include "problem/element_types.hpp"

namespace duoblas::test {

/// Whether everything is to be tried, by ./test.sh --all.
inline bool all_is_wanted() {
  return std::getenv("DUOBLAS_TEST_ALL") != nullptr;
}

/// Whether this type has part `number` of a test: s and c have the even ones, d and z the odd ones.
inline bool has_turn(Precision precision, int number) {
  return all_is_wanted() || (precision_index(precision) + number) % 2 == 0;
}

}  // namespace duoblas::test

// Parts of a test that element types take turns at, and runs of the suite: what takes the time is
// compiling a kernel for each.
#pragma once

#include <cstdlib>
#include <utility>
#include <vector>

#include <duoblas/types.hpp>

#include "problem/element_types.hpp"

namespace duoblas::test {

/// Whether everything is to be tried, by ./test.sh --all.
inline bool all_is_wanted() {
  return std::getenv("DUOBLAS_TEST_ALL") != nullptr;
}

/// What is this run's of what runs take turns at. ./test.sh counts commits, from 0 to 7.
inline unsigned turn_of_run() {
  const char* turn = std::getenv("DUOBLAS_TEST_TURN");
  return turn == nullptr ? 0 : static_cast<unsigned>(std::atoi(turn));
}

/// Whether ./test.sh runs the suite, and not everything: by hand each test has its whole length.
inline bool is_usual_run() {
  return std::getenv("DUOBLAS_TEST_TURN") != nullptr && !all_is_wanted();
}

/// Whether this type has part `number` of a test in this run: s and c have the even ones, d and z
/// the odd ones, and in the next run the others.
inline bool has_turn(Precision precision, int number) {
  return all_is_wanted() ||
         (precision_index(precision) + static_cast<unsigned>(number) + turn_of_run()) % 2 == 0;
}

/// The pairs of ops that this type has for part `number` of a test: a real type two of four, a
/// complex one four or five of nine, so that s and d together have all, and c and z.
inline std::vector<std::pair<Op, Op>> op_pairs_in_turn(Precision precision, int number = 0) {
  constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};
  std::vector<std::pair<Op, Op>> pairs;
  for (const Op a : ops)
    for (const Op b : ops) {
      // A real number is its own conjugate: the kernels are those of transposed, and one pair is
      // enough.
      const bool is_conjugated = a == Op::conj_transpose || b == Op::conj_transpose;
      const bool is_new = is_complex(precision) || !is_conjugated || a == b;
      if (!all_is_wanted() && !is_new) continue;
      if (has_turn(precision, number + static_cast<int>(a) + static_cast<int>(b)))
        pairs.emplace_back(a, b);
    }
  return pairs;
}

}  // namespace duoblas::test

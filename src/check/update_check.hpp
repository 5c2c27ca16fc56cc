// Checks A += alpha x y' element by element, in as many operations as the update has.
#pragma once

#include <cstdint>
#include <string>

#include "problem/ger_problem.hpp"

namespace duoblas {

/// Where the rows of A are, before and after the update; distances in elements.
struct UpdatePlaces {
  const void* before = nullptr;
  std::int64_t before_ld = 0;
  const void* now = nullptr;
  std::int64_t now_ld = 0;
};

/// The first element whose error is larger than any order of the operations explains, in words;
/// empty: none. Checks every `step`-th element, row by row, from number `first` on. Does not read
/// the A of `problem`.
std::string wrong_update(const GerProblem& problem, const UpdatePlaces& places,
                         std::int64_t step = 1, std::int64_t first = 0);

/// The distance of checked elements: 61 for small results; for large ones some thousand elements
/// are checked.
std::int64_t sample_step(const GerProblem& problem);

}  // namespace duoblas

// Whether A += alpha x y' is right, element by element: in as many operations as the update has.
#pragma once

#include <cstdint>
#include <string>

#include "problem/ger_problem.hpp"

namespace duoblas {

/// Where rows of A lie as they were and as they are; distances in elements.
struct UpdatePlaces {
  const void* before = nullptr;
  std::int64_t before_ld = 0;
  const void* now = nullptr;
  std::int64_t now_ld = 0;
};

/// The first element that no order of the operations explains, in words; empty: none. Every `step`
/// th is looked at, row by row, from number `first` on. Of `problem` A itself is not read.
std::string wrong_update(const GerProblem& problem, const UpdatePlaces& places,
                         std::int64_t step = 1, std::int64_t first = 0);

/// A sample's step: every 61st element of small results, some thousand of large ones.
std::int64_t sample_step(const GerProblem& problem);

}  // namespace duoblas

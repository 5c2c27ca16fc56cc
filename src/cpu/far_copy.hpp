// y = x for vectors whose elements lie far apart, as the rows of a matrix do in column order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/thread_team.hpp"

namespace duoblas {

/// n elements of `size` bytes (4, 8 or 16) to as many places. Steps are in bytes, and positive.
struct FarCopy {
  std::int64_t n = 0;
  int size = 0;
  const std::byte* x = nullptr;
  std::ptrdiff_t step_x = 0;
  std::byte* y = nullptr;
  std::ptrdiff_t step_y = 0;
};

/// Whether the vectors lie apart, so that the order in which elements are copied does not matter.
bool lie_apart(const FarCopy& copy);

/// The elements [begin, end).
void copy_elements(const FarCopy& copy, std::int64_t begin, std::int64_t end);

/// All elements, by `threads` of the team's threads. \pre lie_apart(copy).
void copy_by_team(const FarCopy& copy, ThreadTeam& team, int threads);

}  // namespace duoblas

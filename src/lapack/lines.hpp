// Lines of a symmetric matrix: rows or columns of its lower triangle.
#pragma once

#include <cstdint>

namespace duoblas {

struct Lines {
  std::int64_t first = 0, end = 0;

  std::int64_t count() const { return end - first; }
};

}  // namespace duoblas

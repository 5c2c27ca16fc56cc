#include "gpu/level3/triangle_leaves.hpp"

#include <algorithm>
#include <cstdio>

#include "problem/element_types.hpp"
#include "problem/rounding.hpp"
#include "problem/triangle_condition.hpp"

namespace duoblas {
namespace {

// Products of fewer lines are not worth their launches. Places at multiples of it are aligned.
constexpr std::int64_t least_lines = 8;

template <typename T>
class Division {
 public:
  Division(const Level3Problem& triangle, Interval lines, std::int64_t leaf, double most,
           T* inverses)
      : triangle_(triangle), lines_(lines), leaf_(leaf), most_(most), inverses_(inverses) {}

  std::vector<TriangleLeaf> leaves() {
    for (std::int64_t first = 0; first < lines_.count; first += leaf_)
      add(first, std::min(leaf_, lines_.count - first));
    return std::move(leaves_);
  }

 private:
  // The inverse of a block on the diagonal is that block of the inverse.
  void add(std::int64_t first, std::int64_t size) {
    T* const inverse = inverses_ + first * leaf_;
    complete_a(triangle_, {lines_.first + first, size}, block_);
    const double condition =
        largest_row_sum(reinterpret_cast<const T*>(block_.data()), size, size) *
        largest_row_sum(inverse, size, leaf_);
    if (condition <= most_ || size <= least_lines) {
      leaves_.push_back({first, size, !(condition <= harmless_condition)});
      return;
    }
    const std::int64_t half = round_up((size + 1) / 2, least_lines);
    for (std::int64_t i = half; i < size; ++i) {
      T* const row = inverse + i * leaf_;
      std::copy(row + half, row + size, row);
    }
    add(first, half);
    add(first + half, size - half);
  }

  const Level3Problem& triangle_;
  const Interval lines_;
  const std::int64_t leaf_;
  const double most_;
  T* const inverses_;
  DenseBlock block_;
  std::vector<TriangleLeaf> leaves_;
};

}  // namespace

void require_solvable(double condition, Precision precision) {
  if (condition <= solvable_condition(precision)) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "blocks on the triangle's diagonal have condition numbers up to %.1e, too large to "
                "solve with their inverses; the CPU has to do it",
                condition);
  throw UnsuitedNumbers(text);
}

std::vector<TriangleLeaf> invert_in_leaves(const Level3Problem& triangle, Interval lines,
                                           std::int64_t leaf, double most, DenseBlock& inverses,
                                           CopyThreads* threads) {
  const double worst = invert_leaves(triangle, lines, leaf, inverses, threads);
  if (worst <= harmless_condition) {
    std::vector<TriangleLeaf> leaves;
    for (std::int64_t first = 0; first < lines.count; first += leaf)
      leaves.push_back({first, std::min(leaf, lines.count - first), false});
    return leaves;
  }
  return with_element_type(triangle.precision, [&](auto zero) {
    using T = decltype(zero);
    T* const all = reinterpret_cast<T*>(inverses.data());
    return Division<T>(triangle, lines, leaf, most, all).leaves();
  });
}

void invert_solvable(const Level3Problem& triangle, Interval lines, std::int64_t leaf,
                     DenseBlock& inverses, CopyThreads* threads) {
  require_solvable(invert_leaves(triangle, lines, leaf, inverses, threads), triangle.precision);
}

void invert_solvable(const Level3Problem& triangle, Interval lines, std::int64_t leaf,
                     void* inverses, CopyThreads* threads) {
  require_solvable(invert_leaves(triangle, lines, leaf, inverses, threads), triangle.precision);
}

}  // namespace duoblas

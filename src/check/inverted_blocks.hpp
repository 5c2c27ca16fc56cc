// What solving by inverted diagonal blocks adds to the rounding errors of a triangular system.
#pragma once

#include <cstdint>
#include <vector>

#include "check/shaped_matrix.hpp"
#include "problem/cut.hpp"

namespace duoblas {

/// Of the diagonal blocks D of a triangular matrix the products of magnitudes by which the residual
/// of their lines is multiplied: |D| |inv(D)| from the left, |inv(D)| |D| from the right.
class InvertedBlocks {
 public:
  /// `least`: what may be missing of an inverse's element that is taken for zero. \throws
  /// std::bad_alloc.
  template <typename R>
  InvertedBlocks(const ShapedMatrix<R>& triangular, const std::vector<Interval>& lines,
                 bool from_left, double least);

  struct Block {
    Interval lines;
    std::vector<double> inverse, growth;  ///< row by row; not finite where D is singular
    double growth_at(std::int64_t i, std::int64_t j) const {
      return growth[static_cast<std::size_t>(i * lines.count + j)];
    }
  };
  /// The one that this line is in; null: it is in none.
  const Block* block_of(std::int64_t line) const;
  /// values += growth values.
  void widen(std::vector<double>& values) const;

 private:
  std::vector<Block> blocks_;
};

}  // namespace duoblas

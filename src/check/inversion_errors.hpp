// The rounding errors that solving with inverted diagonal blocks adds to those of a triangular
// solve.
#pragma once

#include <cstdint>
#include <vector>

#include "check/shaped_matrix.hpp"
#include "problem/partition.hpp"

namespace duoblas {

/// For the diagonal blocks D of a triangular matrix: the products of magnitudes by which the
/// residual of their lines is multiplied, |D| |inv(D)| from the left or |inv(D)| |D| from the
/// right.
class InversionErrors {
 public:
  /// `least`: the error of an inverse's element that is taken for zero. \throws std::bad_alloc.
  template <typename R>
  InversionErrors(const ShapedMatrix<R>& triangular, const std::vector<Interval>& lines,
                  bool from_left, double least, const CheckThreads& threads = {});

  struct Block {
    Interval lines;
    std::vector<double> inverse, growth;  ///< row by row; not finite if D is singular
    double growth_at(std::int64_t i, std::int64_t j) const {
      return growth[static_cast<std::size_t>(i * lines.count + j)];
    }
  };
  /// The block that contains this line; null: none does.
  const Block* block_of(std::int64_t line) const;
  /// values += growth values.
  void widen(std::vector<double>& values) const;

 private:
  std::vector<Block> blocks_;
};

}  // namespace duoblas

// The random vector by which the columns of a product are weighted and summed.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "check/stored_matrix.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Columns of C that are summed up.
struct SummedColumns {
  std::int64_t first = 0, columns = 0;
  WeightVector x;
  std::vector<std::int64_t> left_out;  ///< infinite columns of B, counted from `first`
  TwoVectors y;                        ///< op(B) x
};

/// How these columns of op(B) are stored: as columns of B, or as rows.
template <typename R>
StoredMatrix<R> columns_of_b(const GemmProblem& product, const StoredMatrix<R>& b,
                             const SummedColumns& of);

/// Draws x: random numbers between 1 and 2 with a random sign, times powers of two that scale all
/// columns alike. Without the powers, errors in small columns would be lost beside large columns;
/// with signs alone, two equal errors in a row would cancel in every second check.
///
/// `old_c`: C before the product, without data if beta == 0. `of_all`: reads all of B, which takes
/// as long as to multiply, and leaves out columns that are not finite. Otherwise a few rows tell
/// how large the numbers of a column are.
template <typename R>
void draw_weights(SummedColumns& of, const GemmProblem& product, const StoredMatrix<R>& old_c,
                  std::mt19937_64& engine, bool of_all);

}  // namespace duoblas

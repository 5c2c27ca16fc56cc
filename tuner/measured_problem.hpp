// A product with its own random operands, to be measured and verified.
#pragma once

#include <cstdint>
#include <memory>

#include "problem/caller_gemm.hpp"
#include "problem/gemm_problem.hpp"

namespace duoblas {

/// Owns A, B and C in ordinary, page-aligned memory, filled with reproducible values uniform in
/// [-1, 1). (Registered memory is faster; plans are for programs that do not register.) alpha = 1,
/// beta = 0 unless given.
class MeasuredProblem {
 public:
  /// `call` gives everything but the pointers and leading dimensions, which are set here. Each
  /// matrix is stored with `padding` elements between its rows (columns, if column-major). \throws
  /// std::bad_alloc.
  MeasuredProblem(CallerGemm call, unsigned seed, std::int64_t padding = 0);

  /// The row-major problem.
  const GemmProblem& problem() const { return problem_; }
  std::size_t c_bytes() const { return c_bytes_; }
  void* c() const { return c_.get(); }

  /// Sets every element of C to NaN, so that elements that a product with beta == 0 does not write
  /// are detected.
  void poison_c();
  /// Restores C's initial values, for beta != 0.
  void restore_c();
  /// Those values.
  const void* old_c() const { return old_c_.get(); }

 private:
  struct Free {
    void operator()(void* memory) const noexcept;
  };
  using Memory = std::unique_ptr<void, Free>;
  static Memory allocate(std::size_t bytes);

  GemmProblem problem_;
  std::size_t c_bytes_ = 0;
  Memory a_, b_, c_, old_c_;
};

/// The common case: row-major, alpha = 1, beta = 0.
CallerGemm row_major_call(Precision precision, Op op_a, Op op_b, std::int64_t m, std::int64_t n,
                          std::int64_t k);

}  // namespace duoblas

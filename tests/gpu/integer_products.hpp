// Products by integers on the GPU's side, whole.
#pragma once

#include <random>

#include "gpu/device/unsuited_numbers.hpp"
#include "gpu/integers/integer_blocks.hpp"
#include "gpu/side_front.hpp"
#include "support/integer_case.hpp"

namespace duoblas::test {

/// A fixture, of double or std::complex<double>.
template <typename T>
class IntegerProducts : public testing::Test {
 protected:
  std::mt19937_64 engine{23};

  static GpuSide& side() {
    static auto* const once = new GpuSide(first_device(), {});
    return *once;
  }
  /// Whether it was certified.
  static bool multiply(GpuSide& on, const GemmProblem& problem) try {
    on.submit(problem, integers_kernel(on.limits()), on.best_sharing()).wait();
    return true;
  } catch (const UnsuitedNumbers&) {
    return false;
  }
  bool is_done(const IntegerCase<T>& of, GpuSide& on = side()) {
    return is_certified(of, engine,
                        [&](const GemmProblem& problem) { return multiply(on, problem); });
  }
};

}  // namespace duoblas::test

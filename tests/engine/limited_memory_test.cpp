// Both sides, with a device that may hold little of the GPU's part.
#include <gtest/gtest.h>

#include "conformance/forced_context.hpp"

namespace duoblas::test {
namespace {

CaseFactors limited_product(double beta) {
  CaseFactors factors;
  factors.m = 330;
  factors.n = 290;
  factors.k = 310;
  factors.pad = 1;
  factors.alpha = 1.5;
  factors.beta = beta;
  return factors;
}

TEST(LimitedMemory, IsMetByBothSidesTogether) {
  Settings settings = forced_settings();
  settings.device_memory = std::size_t{128} << 10;
  Context context(settings);
  for (int type = 0; type < 4; ++type)
    for (const double beta : {0.0, -0.7})
      with_type(type, [&](auto element) {
        using T = decltype(element);
        expect_right<T>(limited_product(beta), through<T>(context));
        EXPECT_FALSE(Context::last_call().recovered);
        EXPECT_GT(Context::last_call().gpu_rows, 0);
      });
}

TEST(LimitedMemory, ThatHoldsNothingLeavesItToTheCpu) {
  Settings settings = forced_settings();
  settings.device_memory = 1;
  Context context(settings);
  for (const double beta : {0.0, -0.7}) {
    expect_right<float>(limited_product(beta), through<float>(context));
    expect_right<std::complex<double>>(limited_product(beta),
                                       through<std::complex<double>>(context));
  }
}

}  // namespace
}  // namespace duoblas::test

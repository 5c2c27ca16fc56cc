// Each OpenCL call fails in turn under a batch: every C is right all the same.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "cl_layer/layer_control.hpp"
#include "conformance/forced_context.hpp"
#include "support/batch_of_context.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

/// Whether the batch is given by pointers.
class FailingCallsOfABatch : public ::testing::TestWithParam<bool> {
 protected:
  const LayerControl& layer = LayerControl::get();
  void TearDown() override { layer.reset(); }
};

// Pointers in any order are gathered and scattered; a strided batch is bound where it is.
TEST_P(FailingCallsOfABatch, LeaveEveryProductRightAndNothingBehind) {
  const bool by_pointers = GetParam();
  const TemporaryDirectory directory;
  Settings settings = forced_settings();
  settings.cache_dir = directory / "cache";
  BatchFactors factors;
  factors.one = {.op_b = Op::transpose, .m = 18, .n = 14, .k = 11, .pad = 1, .alpha = 1.5};
  factors.count = 9;
  factors.shuffled = by_pointers;
  // Of the first call, for which kernels are made, and of a later one.
  const std::array<double, 2> betas = by_pointers ? std::array{-0.7, 0.0} : std::array{0.0, -0.7};
  const long live_before = layer.live_objects();
  int recoveries = 0;
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 2000) << "no end of calls";
    const std::string spec = "*:" + std::to_string(number);
    SCOPED_TRACE(spec);
    layer.fail(spec.c_str());
    {
      Context context(settings);
      const BatchFront<float> front = [&](const BatchCall<float>& b) {
        multiply_batch(context, b, by_pointers);
      };
      bool is_recovered = false;
      // Whatever happened, the next call is right too.
      for (const double beta : betas) {
        factors.one.beta = beta;
        expect_batch_right<float>(factors, front);
        is_recovered |= Context::last_call().recovered;
      }
      recoveries += is_recovered;
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    EXPECT_EQ(layer.live_objects(), live_before);
    if (!fired) break;
  }
  EXPECT_GT(recoveries, 5) << "the failures did reach the batch";
}

INSTANTIATE_TEST_SUITE_P(Kinds, FailingCallsOfABatch, ::testing::Bool(), [](const auto& kind) {
  return std::string(kind.param ? "by_pointers" : "strided");
});

}  // namespace
}  // namespace duoblas::test

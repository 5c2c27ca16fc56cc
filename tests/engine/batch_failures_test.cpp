// Each OpenCL call fails in turn under a batch: every C is right all the same.
#include <gtest/gtest.h>

#include <tuple>

#include "cl_layer/layer_control.hpp"
#include "conformance/forced_context.hpp"
#include "support/batch_of_context.hpp"
#include "support/case_names.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

class FailingCallsOfABatch : public ::testing::TestWithParam<std::tuple<double, bool>> {
 protected:
  const LayerControl& layer = LayerControl::get();
  void TearDown() override { layer.reset(); }
};

// Pointers in any order are gathered and scattered; a strided batch is bound where it is.
TEST_P(FailingCallsOfABatch, LeaveEveryProductRightAndNothingBehind) {
  const auto [beta, by_pointers] = GetParam();
  const TemporaryDirectory directory;
  Settings settings = forced_settings();
  settings.cache_dir = directory / "cache";
  BatchFactors factors;
  factors.one = {.op_b = Op::transpose, .m = 18, .n = 14, .k = 11, .pad = 1, .alpha = 1.5};
  factors.one.beta = beta;
  factors.count = 9;
  factors.shuffled = by_pointers;
  const long live_before = layer.live_objects();
  int recoveries = 0;
  for (int number = 1;; ++number) {
    ASSERT_LT(number, 2000) << "no end of calls";
    const std::string spec = "*:" + std::to_string(number);
    SCOPED_TRACE(spec);
    layer.fail(spec.c_str());
    {
      Context context(settings);
      const BatchFront<float> front = [&, by_pointers = by_pointers](const BatchCall<float>& b) {
        multiply_batch(context, b, by_pointers);
      };
      expect_batch_right<float>(factors, front);
      recoveries += Context::last_call().recovered;
      // Whatever happened, the next call is right too.
      expect_batch_right<float>(factors, front);
    }
    const bool fired = layer.fired() != 0;
    layer.reset();
    EXPECT_EQ(layer.live_objects(), live_before);
    if (!fired) break;
  }
  EXPECT_GT(recoveries, 5) << "the failures did reach the batch";
}

INSTANTIATE_TEST_SUITE_P(Betas, FailingCallsOfABatch,
                         ::testing::Combine(::testing::Values(0.0, -0.7), ::testing::Bool()),
                         [](const auto& info) {
                           return beta_name(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "_by_pointers" : "_strided");
                         });

}  // namespace
}  // namespace duoblas::test

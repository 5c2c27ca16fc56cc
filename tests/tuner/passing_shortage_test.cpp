// A device that is short of memory for a moment is measured all the same: by an OpenCL layer whose
// calls fail.
#include <gtest/gtest.h>

#include "cl_layer/layer_control.hpp"
#include "cl_layer/ones.hpp"
#include "conformance/forced_context.hpp"
#include "tuner/measure.hpp"

namespace duoblas::test {
namespace {

struct PassingShortage : testing::Test {
  const LayerControl& layer = LayerControl::get();
  Engine engine{forced_settings()};
  Ones product{64, 64, 16, 0};
  const Plan plan = engine.plans().of(product.problem());

  void SetUp() override {
    layer.reset();
    ASSERT_TRUE(is_measured());
  }
  void TearDown() override { layer.reset(); }

  bool is_measured() { return sampled_call(engine, product.problem(), plan).has_value(); }
};

TEST_F(PassingShortage, CostsOneCall) {
  for (const char* call :
       {"clEnqueueNDRangeKernel:1=-5", "clEnqueueNDRangeKernel:1=-4", "clWaitForEvents:1=-5"}) {
    layer.fail(call);
    EXPECT_TRUE(is_measured()) << call;
    EXPECT_EQ(layer.fired(), 1) << call;
  }
}

TEST_F(PassingShortage, ThatDoesNotPassIsAFailure) {
  layer.fail("clEnqueueNDRangeKernel:1+=-4");
  EXPECT_FALSE(is_measured());
}

TEST_F(PassingShortage, IsNotWhatALostDeviceHas) {
  layer.fail("clWaitForEvents:1=-36");
  EXPECT_FALSE(is_measured());
}

}  // namespace
}  // namespace duoblas::test

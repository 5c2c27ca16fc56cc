// What tests of a driver that is played have in common: PoCL says that it is a GPU.
#pragma once

#include <gtest/gtest.h>

#include <duoblas/context.hpp>

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 300
#endif
#include <CL/cl.h>

#include "cl_layer/layer_control.hpp"
#include "conformance/forced_context.hpp"

namespace duoblas::test {

struct PlayedDriver : testing::Test {
  const LayerControl& layer = LayerControl::get();

  void SetUp() override {
    layer.reset();
    layer.true_driver();
    layer.device_number(CL_DEVICE_TYPE, CL_DEVICE_TYPE_GPU);
  }
  void TearDown() override {
    layer.reset();
    layer.true_driver();
  }

  /// Both sides, at every size; nothing of the environment or of the disk.
  static Settings both_sides() {
    Settings settings;
    settings.strategy = Strategy::hybrid;
    settings.split = Share{8, 16};
    return settings;
  }

  /// One product, whose result must be right whoever computed it.
  template <typename T>
  CallSummary multiply(Context& context, Op op_a = Op::none, Op op_b = Op::none,
                       std::int64_t m = 50) {
    CaseFactors factors;
    factors.op_a = op_a;
    factors.op_b = op_b;
    factors.m = m;
    factors.n = 44;
    factors.k = 31;
    factors.pad = 1;
    factors.alpha = 1.5;
    factors.beta = -0.7;
    expect_right<T>(factors, through<T>(context));
    return Context::last_call();
  }

  /// Kernels that were launched since the layer began to count; refused ones are not counted.
  long launched() const { return layer.calls_of("clEnqueueNDRangeKernel"); }

  /// The same product, done with a part of the GPU's.
  template <typename T>
  void expect_gpu_used(Context& context, Op op_a = Op::none, Op op_b = Op::none) {
    const long before = launched();
    const CallSummary call = multiply<T>(context, op_a, op_b);
    EXPECT_FALSE(call.recovered) << call.reason;
    EXPECT_EQ(call.strategy, Strategy::hybrid) << call.reason;
    EXPECT_GT(launched(), before);
  }
};

}  // namespace duoblas::test

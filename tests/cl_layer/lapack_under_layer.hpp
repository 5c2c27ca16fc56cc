// Factorisations that both sides do, unchecked, with the layer between us and the driver.
#pragma once

#include <gtest/gtest.h>

#include "cl_layer/layer_control.hpp"
#include "support/lapack_case.hpp"

namespace duoblas::test {

/// `Test`: what of GoogleTest it is.
template <typename Test>
struct LapackUnderLayer : Test {
  const LayerControl& layer = LayerControl::get();
  void SetUp() override { layer.reset(); }
  void TearDown() override { layer.reset(); }

  static Settings settings() { return forced_lapack(CheckMode::off); }
};

}  // namespace duoblas::test

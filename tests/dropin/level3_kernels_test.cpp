// A program's largest level-3 call other than gemm finds its kernels once the device is open.
#include "dropin/engine/device_start.hpp"

#include <gtest/gtest.h>

#include "level3/blocked_level3.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

Settings choosing_settings() {
  Settings settings = learning_settings();
  settings.adapt = false;
  return settings;
}

/// Of matrices that are gone by now.
Level3Problem own_transpose(std::int64_t n) {
  static float nowhere;
  Level3Problem p;
  p.routine = Routine::syrk;
  p.n = p.k = p.lda = p.ldc = n;
  p.a = p.c = &nowhere;
  return p;
}

int kernels_that_lack(const Engine& engine, const std::vector<PlannedProduct>& products) {
  int lacking = 0;
  for (const auto& [product, plan] : products)
    lacking += !engine.readiness().has(ProductLaunches(product, plan));
  return lacking;
}

TEST(Level3Kernels, AreBuiltForTheLargestCallWhicheverWayItGoes) {
  Engine engine(choosing_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  const Level3Problem largest = own_transpose(600);
  const std::vector<PlannedProduct> products = likely_products(engine, largest);
  bool has_job = false, has_halves = false;
  for (const auto& [product, plan] : products)
    (product.k == largest.k && product.m < 300 ? has_job : has_halves) = true;
  EXPECT_TRUE(has_job && has_halves);
  EXPECT_GT(kernels_that_lack(engine, products), 0);
  note_level3_before_start(own_transpose(40));
  note_level3_before_start(largest);
  note_level3_before_start(own_transpose(500));
  build_level3_kernels(engine);
  EXPECT_EQ(kernels_that_lack(engine, products), 0);
}

TEST(Level3Kernels, AreNotBuiltForCallsThatAreTheCpus) {
  Engine engine(choosing_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  note_level3_before_start(own_transpose(20));
  build_level3_kernels(engine);
  EXPECT_GT(kernels_that_lack(engine, likely_products(engine, own_transpose(600))), 0);
}

}  // namespace
}  // namespace duoblas::test

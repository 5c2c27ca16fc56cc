#include "dropin/engine/host_call_cache.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace duoblas {
namespace {

class HostCallCacheTest : public ::testing::Test {
 protected:
  duoblas_blas_call product(std::int64_t m, std::int64_t n, std::int64_t k) const {
    duoblas_blas_call call = {};
    call.precision = 'd';
    call.layout = 102;
    call.op_a = call.op_b = 111;
    call.m = m;
    call.n = n;
    call.k = k;
    call.alpha = &one_;
    call.beta = &zero_;
    return call;
  }
  const double one_ = 1, zero_ = 0;
  std::unique_ptr<HostCallCache> left_ = std::make_unique<HostCallCache>();
};

TEST_F(HostCallCacheTest, KnowThatVeryCallWhateverItsMatrices) {
  auto call = product(300, 200, 100);
  EXPECT_EQ(left_->reason_for(call), std::nullopt);
  left_->remember(call, Reason::untuned);
  left_->forget(call);
  EXPECT_FALSE(left_->reason_for(call));
  left_->remember(call, Reason::untuned);
  EXPECT_EQ(left_->reason_for(call), Reason::untuned);
  call.c = &call;
  call.lda = 999;
  EXPECT_EQ(left_->reason_for(call), Reason::untuned);
}

TEST_F(HostCallCacheTest, KnowsNoCallThatDiffersInOneArgument) {
  const auto call = product(300, 200, 100);
  left_->remember(call, Reason::untuned);
  std::vector<duoblas_blas_call> others(10, call);
  others[0].routine = DUOBLAS_SYMM;
  others[1].precision = 'z';
  others[2].layout = 101;
  others[3].op_a = 112;
  others[4].op_b = 112;
  others[5].m = 301;
  others[6].k = 101;
  others[7].beta = &one_;
  others[8].alpha = &zero_;
  others[9].uplo = 121;
  for (const auto& other : others) EXPECT_EQ(left_->reason_for(other), std::nullopt);
  EXPECT_EQ(left_->reason_for(product(200, 300, 100)), std::nullopt);
  EXPECT_EQ(left_->reason_for(product(100, 200, 300)), std::nullopt);
}

TEST_F(HostCallCacheTest, ForgetSomeOfVeryMany) {
  int known = 0;
  for (int n = 1; n <= 3000; ++n) left_->remember(product(n, n, n), Reason::cpu_fastest);
  for (int n = 1; n <= 3000; ++n) known += left_->reason_for(product(n, n, n)).has_value();
  EXPECT_GT(known, 500) << "spread over the places";
  EXPECT_LE(known, 1024);
}

TEST_F(HostCallCacheTest, ReadScalarsAsTheirPrecisionHasThem) {
  const float one[2] = {1, 0};
  auto call = product(64, 64, 64);
  call.precision = 'c';
  call.alpha = one;
  call.beta = nullptr;
  left_->remember(call, Reason::untuned);
  EXPECT_EQ(left_->reason_for(call), Reason::untuned);
}

}  // namespace
}  // namespace duoblas

// Calls that are passed on without another decision.
#include "dropin/engine/known_calls.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>
#include <vector>

namespace duoblas {
namespace {

// Each test's calls are of a thread of their own, which knows none.
class KnownCalls : public ::testing::Test {
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
  static void remember(const duoblas_blas_call& call, Reason reason) {
    left_calls.keep(call_key(call), call_key(call), reason);
  }
  static std::optional<Reason> reason_for(const duoblas_blas_call& call) {
    const Reason* const reason = left_calls.find(call_key(call), call_key(call));
    return reason != nullptr ? std::optional(*reason) : std::nullopt;
  }
  template <typename Test>
  static void in_new_thread(Test&& test) {
    std::thread(test).join();
  }
  const double one_ = 1, zero_ = 0;
};

TEST_F(KnownCalls, AreKnownWhateverTheirMatrices) {
  in_new_thread([this] {
    auto call = product(300, 200, 100);
    EXPECT_EQ(reason_for(call), std::nullopt);
    remember(call, Reason::untuned);
    left_calls.forget(call_key(call), call_key(call));
    EXPECT_FALSE(reason_for(call));
    remember(call, Reason::untuned);
    EXPECT_EQ(reason_for(call), Reason::untuned);
    call.c = &call;
    call.lda = 999;
    EXPECT_EQ(reason_for(call), Reason::untuned);
  });
}

TEST_F(KnownCalls, DifferInNoArgument) {
  in_new_thread([this] {
    const auto call = product(300, 200, 100);
    remember(call, Reason::untuned);
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
    for (const auto& other : others) EXPECT_EQ(reason_for(other), std::nullopt);
    EXPECT_EQ(reason_for(product(200, 300, 100)), std::nullopt);
    EXPECT_EQ(reason_for(product(100, 200, 300)), std::nullopt);
  });
}

TEST_F(KnownCalls, OfVeryManyAreForgottenInPart) {
  in_new_thread([this] {
    int known = 0;
    for (int n = 1; n <= 3000; ++n) remember(product(n, n, n), Reason::cpu_fastest);
    for (int n = 1; n <= 3000; ++n) known += reason_for(product(n, n, n)).has_value();
    EXPECT_GT(known, 500) << "spread over the places";
    EXPECT_LE(known, 1024);
  });
}

// A program whose calls take turns: each kind is decided again.
TEST_F(KnownCalls, AreDecidedAgainNowAndThenEachByItself) {
  in_new_thread([this] {
    const duoblas_blas_call turns[] = {product(300, 300, 300), product(400, 400, 400)};
    for (const auto& call : turns) remember(call, Reason::cpu_fastest);
    for (int turn = 0; turn < 63; ++turn)
      for (const auto& call : turns) EXPECT_TRUE(reason_for(call));
    for (const auto& call : turns) {
      EXPECT_FALSE(reason_for(call));
      EXPECT_EQ(left_calls.used(call_key(call), call_key(call)).times, 63u);
      remember(call, Reason::cpu_fastest);
      EXPECT_EQ(left_calls.used(call_key(call), call_key(call)).times, 0u);
    }
  });
}

// The call that tells of them finds that their kernels are being built, and keeps nothing.
TEST_F(KnownCalls, AreToldOfOnce) {
  in_new_thread([this] {
    const auto call = product(300, 300, 300), other = product(400, 400, 400);
    remember(call, Reason::kernels_not_missed);
    for (int use = 0; use < 63; ++use) EXPECT_TRUE(reason_for(call));
    EXPECT_EQ(untold_calls(call_key(call)), 63u);
    EXPECT_FALSE(reason_for(call));
    EXPECT_EQ(untold_calls(call_key(call)), 0u);
    remember(other, Reason::kernels_building);
    EXPECT_TRUE(reason_for(other));
    EXPECT_EQ(untold_calls(call_key(other)), 0u) << "each of those told itself";
    EXPECT_TRUE(reason_for(other));
  });
}

TEST_F(KnownCalls, HaveScalarsAsTheirPrecisionHasThem) {
  in_new_thread([this] {
    const float one[2] = {1, 0};
    auto call = product(64, 64, 64);
    call.precision = 'c';
    call.alpha = one;
    call.beta = nullptr;
    remember(call, Reason::untuned);
    EXPECT_EQ(reason_for(call), Reason::untuned);
  });
}

}  // namespace
}  // namespace duoblas

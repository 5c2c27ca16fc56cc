// Many host threads, one engine.
#include <gtest/gtest.h>

#include <thread>

#include "conformance/forced_context.hpp"

namespace duoblas::test {
namespace {

TEST(Threads, EightAtOnceGetRightAnswers) {
  Context context(forced_settings());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&context, t] {
      for (int round = 0; round < 6; ++round) {
        CaseFactors factors;
        factors.layout = t % 2 == 0 ? Layout::row_major : Layout::column_major;
        factors.op_a = round % 2 == 0 ? Op::none : Op::transpose;
        factors.m = 60 + 17 * t;
        factors.n = 210 - 13 * t;
        factors.k = 90 + round;
        factors.beta = round % 3 == 0 ? 0 : 0.5;
        factors.seed = static_cast<std::uint64_t>(1000 * t + round);
        with_type((t + round) % 4, [&](auto zero) {
          using T = decltype(zero);
          expect_right<T>(factors, through<T>(context));
        });
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Threads, EightAtOnceGetRightAnswersWhereThePlanIsFree) {
  Settings settings = forced_settings();
  settings.split.reset();
  settings.strategy = Strategy::gpu;
  Context context(settings);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&context, t] {
      CaseFactors factors;
      factors.m = factors.n = factors.k = 150 + t;
      factors.seed = static_cast<std::uint64_t>(t);
      for (int round = 0; round < 4; ++round) expect_right<float>(factors, through<float>(context));
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace duoblas::test

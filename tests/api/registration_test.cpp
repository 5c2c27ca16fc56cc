// duoblas_register and its variants as programs use them, rightly and wrongly.
#include <duoblas/registration.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <duoblas/duoblas.hpp>

#include "api/context_state.hpp"
#include "conformance/forced_context.hpp"
#include "memory/registered_memory.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

TEST(Registration, HoldsFromRegisterToUnregister) {
  std::vector<double> memory(1000);
  const std::size_t bytes = memory.size() * sizeof(double);
  ASSERT_EQ(duoblas_register(memory.data(), bytes), DUOBLAS_OK);
  EXPECT_TRUE(is_registered(memory.data(), bytes));
  EXPECT_TRUE(is_registered(memory.data() + 999, sizeof(double)));
  EXPECT_FALSE(is_registered(memory.data(), bytes + 1));
  ASSERT_EQ(duoblas_unregister(memory.data()), DUOBLAS_OK);
  EXPECT_FALSE(is_registered(memory.data(), 1));
}

TEST(Registration, EndsWithItsObject) {
  std::vector<double> memory(10);
  {
    Registration first(memory.data(), 80);
    Registration second = std::move(first);
    first = std::move(second);
    EXPECT_TRUE(is_registered(memory.data(), 80));
  }
  EXPECT_FALSE(is_registered(memory.data(), 1));
}

TEST(Registration, MayFindItsMemoryTakenBackAlready) {
  std::vector<double> memory(10);
  {
    const Registration registered(memory.data(), 80);
    unregister_memory(memory.data());
  }
  EXPECT_FALSE(is_registered(memory.data(), 1));
}

TEST(Registration, IsThereForTheLibrarysOwnMemory) {
  const Buffer<float> buffer(100);
  EXPECT_TRUE(is_registered(buffer.data(), 400));
}

TEST(Registration, RefusesWhatOverlapsAndSaysWhy) {
  std::vector<char> memory(1000);
  const Registration middle(memory.data() + 300, 400);
  const auto refused = [&](char* from, std::size_t bytes) {
    return duoblas_register(from, bytes) == DUOBLAS_INVALID_ARGUMENT &&
           std::string(duoblas_last_error()).find("argument 1 (memory)") == 0;
  };
  EXPECT_TRUE(refused(memory.data() + 300, 400)) << "twice";
  EXPECT_TRUE(refused(memory.data(), 301));
  EXPECT_TRUE(refused(memory.data() + 699, 1));
  EXPECT_TRUE(refused(memory.data(), 1000));
  EXPECT_TRUE(refused(memory.data() + 400, 10));
  const Registration before(memory.data(), 300), after(memory.data() + 700, 300);
  Buffer<char> own(100);
  EXPECT_TRUE(refused(own.data() + 4, 4));
}

TEST(Registration, NamesWhatIsWrongWithItsArguments) {
  std::vector<char> memory(10);
  EXPECT_THROW(register_memory(nullptr, 10), ArgumentError);
  EXPECT_THROW(register_memory(memory.data(), 0), ArgumentError);
  EXPECT_THROW(register_memory(memory.data(), static_cast<std::size_t>(-1)), ArgumentError);
  EXPECT_THROW(unregister_memory(memory.data()), ArgumentError);
  EXPECT_THROW(unregister_memory(nullptr), ArgumentError);
  const Registration registered(memory.data(), 10);
  EXPECT_EQ(duoblas_unregister(memory.data() + 1), DUOBLAS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(duoblas_last_error()).find("inside"), std::string::npos);
  Buffer<char> own(10);
  EXPECT_THROW(unregister_memory(own.data()), ArgumentError);
  EXPECT_TRUE(is_registered(own.data(), 10));
}

// Products that are large enough for the pipeline, of registered and of other operands.
TEST(Registration, IsMadeUseOfWhereTheDeviceComputesOnCopies) {
  Context context(forced_settings());
  Engine& engine = ContextEngine::of(context);
  engine.facts().adopt(staged_profile(engine));
  CaseFactors factors;
  factors.m = factors.n = factors.k = 400;
  for (const bool registered : {false, true}) {
    for (const double beta : {0.0, 0.5}) {
      for (const std::int64_t pad : {0, 3}) {
        factors.beta = beta;
        factors.pad = pad;
        expect_right<float>(factors, [&](const Call<float>& g, float* c, std::int64_t ldc) {
          Registration a, result;
          if (registered) {
            const auto bytes = static_cast<std::size_t>(399 * ldc + 400) * 4;
            a = Registration(g.a, bytes);
            result = Registration(c, bytes);
          }
          const GemmProblem problem{.m = 400,
                                    .n = 400,
                                    .k = 400,
                                    .a = g.a,
                                    .lda = g.lda,
                                    .b = g.b,
                                    .ldb = g.ldb,
                                    .c = c,
                                    .ldc = ldc};
          EXPECT_EQ(engine.plans().of(problem).sharing,
                    registered ? SharingMode::pinned : SharingMode::staged);
          through<float>(context)(g, c, ldc);
        });
      }
    }
  }
}

}  // namespace
}  // namespace duoblas::test

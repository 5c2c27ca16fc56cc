// Doubles by integers, tuned: `auto` takes them where the profile says that they are faster.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "engine/engine.hpp"
#include "support/comes_true.hpp"
#include "support/integer_case.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

TEST(TunedIntegers, AreTakenByAuto) {
  Engine engine(by_integers(learning_settings()));
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  IntegerOperands<double> product({150, 150, 150});
  std::mt19937_64 numbers(1);
  product.draw(numbers);
  EXPECT_EQ(engine.run(product.problem()).plan.reason, Reason::untuned);
  engine.facts().adopt(flattering_profile(engine, Arithmetic::integers));
  std::string why;
  const auto uses_gpu = [&] {
    const Outcome did = engine.run(product.problem());
    why = sentence(did.plan.reason);
    return did.used_gpu;
  };
  EXPECT_TRUE(comes_true(uses_gpu)) << why;  // once the kernel is built
}

}  // namespace
}  // namespace duoblas::test

// Doubles by integers, tuned: `auto` takes them where the profile says that they are faster.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "support/comes_true.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

struct OfDoubles {
  static constexpr std::int64_t n = 150;
  std::vector<double> a = std::vector<double>(n * n), b = a, c = a;

  GemmProblem problem() {
    GemmProblem p;
    p.precision = Precision::d;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = n;
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    return p;
  }
};

TEST(TunedIntegers, AreTakenByAuto) {
  Settings settings = learning_settings();
  settings.fp64 = Fp64Mode::integers;
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  OfDoubles product;
  for (std::size_t i = 0; i < product.a.size(); ++i) {
    product.a[i] = std::sin(static_cast<double>(i));
    product.b[i] = std::cos(static_cast<double>(3 * i));
  }
  EXPECT_EQ(engine.run(product.problem()).plan.reason, Reason::untuned);
  engine.facts().adopt(flattering_profile(engine));
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

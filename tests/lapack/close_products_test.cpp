// Factorisations where products take both sides as long as the CPU alone, by a profile.
#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "lapack/lapack_call.hpp"
#include "support/driver_ability.hpp"
#include "support/learning_settings.hpp"
#include "support/staged_profile.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas::test {
namespace {

class CloseProducts : public testing::TestWithParam<LapackRoutine> {
 protected:
  Settings settings() const {
    Settings settings = learning_settings();
    settings.profile_dir = profiles_.path();
    return settings;
  }
  /// Whether such a call is planned for the device, though products are the CPU's. `both`: their
  /// seconds on both sides, in units of the CPU's.
  bool is_planned(double both, SharingMode sharing) const {
    {
      Engine engine(settings());
      Profile profile = staged_profile(engine);
      for (TunedPoint& point : profile.points) {
        point.cpu_all_seconds = 2e-3;
        point.hybrid.seconds = point.simple.seconds = both * point.cpu_all_seconds;
        point.gpu.seconds = point.cpu_seconds = 2 * point.hybrid.seconds;  // each has half
        point.hybrid.sharing = point.simple.sharing = point.gpu.sharing = sharing;
      }
      store_profile(profiles_.path(), profile);
    }
    Engine engine(settings());
    LapackProblem p;
    p.routine = GetParam();
    p.precision = Precision::s;  // which every device has
    p.m = p.n = p.lda = order;
    std::vector<float> a(std::size_t{order} * order);
    p.a = a.data();
    GemmProblem product;
    product.precision = p.precision;
    product.m = product.n = product.lda = product.ldb = product.ldc = 512;
    product.k = 512;
    const Plan alone = engine.plans().of(product);
    if (alone.uses_gpu()) {
      // It is no faster there, and tried for a hundredth of the learner's 20 ms at most.
      EXPECT_TRUE(alone.forecast->explores);
      EXPECT_LE(alone.expected_seconds - alone.cpu_only_seconds, 0.2e-3);
    }
    return decide(engine, p).uses_gpu();
  }

  static constexpr std::string_view copies_operands = "it works on copies of operands";
  static constexpr std::int64_t order = 1024;
  const TemporaryDirectory profiles_;
};

TEST_P(CloseProducts, AreSharedInPlaceWhereThatIsNotMuchSlower) {
  Engine engine(settings());
  if (!can_or_tells(engine.gpu()->info(), !copies(engine.machine().sharing), copies_operands))
    return;
  EXPECT_TRUE(is_planned(1.02, SharingMode::host_pointer));
  EXPECT_FALSE(is_planned(2, SharingMode::host_pointer));
}

TEST_P(CloseProducts, AreTheCpusWhereTheDeviceWorksOnCopies) {
  EXPECT_FALSE(is_planned(1.02, SharingMode::staged));
}

INSTANTIATE_TEST_SUITE_P(LuAndCholesky, CloseProducts,
                         testing::Values(LapackRoutine::getrf, LapackRoutine::potrf));

}  // namespace
}  // namespace duoblas::test

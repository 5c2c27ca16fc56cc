// What calls show, on a device: the loop is closed, the answers stay right, a given split stays.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "conformance/forced_context.hpp"
#include "engine/engine.hpp"
#include "engine/warm_up.hpp"
#include "kernel_space/canonical_kernel.hpp"
#include "kernel_space/kernel_defaults.hpp"
#include "kernel_space/tiled_points.hpp"
#include "support/comes_true.hpp"
#include "support/temporary_directory.hpp"
#include "support/test_matrix.hpp"

namespace duoblas::test {
namespace {

// With cores of its own for either side: two sides that share theirs slow each other down, and
// then the balance is anywhere.
Settings adapting_settings() {
  Settings settings = forced_settings();
  settings.split.reset();
  settings.adapt = true;
  settings.standin = true;
  settings.cache_dir.clear();  // where other programs leave what their calls showed
  return settings;
}

CaseFactors product(std::int64_t n) {
  CaseFactors factors;
  factors.m = factors.n = factors.k = n;
  factors.beta = 0.5;
  return factors;
}

// A tuning that went wrong by far: what one side gets takes it many times as long as the other.
Profile with_share(Engine& engine, Share share) {
  TunedPoint point;
  point.precision = Precision::s;
  point.m = point.n = point.k = 512;
  point.hybrid.kernel = default_kernel(Precision::s, engine.machine().device);
  point.hybrid.sharing = engine.machine().sharing;
  point.hybrid.share = share;
  point.gpu = point.hybrid;
  point.gpu.share = {16, 16};
  point.hybrid.seconds = point.gpu_side_seconds = point.cpu_side_seconds = 1e-3;
  point.gpu.seconds = 1e-3 / share.fraction();
  point.cpu_seconds = point.cpu_all_seconds = 1e-3 / (1 - share.fraction());
  Profile profile;
  profile.points.push_back(point);
  return profile;
}

struct Product {
  TestMatrix<float> a{512, 512}, b{512, 512}, c{512, 512};

  GemmProblem problem() {
    GemmProblem p;
    p.m = p.n = p.k = p.lda = p.ldb = p.ldc = 512;
    p.a = a.data();
    p.b = b.data();
    p.c = c.data();
    return p;
  }
};

// All of it, or nothing, where a busy machine leaves one side as good as no core for some calls.
double planned_share(Engine& engine) {
  Product product;
  return static_cast<double>(engine.plans().of(product.problem()).gpu_extent) / 512;
}

// Multiplies until the share is as wanted. A busy machine disturbs many calls.
bool comes_to(Engine& engine, const std::function<bool(double)>& wanted) {
  Product product;
  product.a.randomise(1);
  product.b.randomise(2);
  const auto is_as_wanted = [&] {
    engine.run(product.problem());
    return wanted(planned_share(engine));
  };
  return comes_true(is_as_wanted, std::chrono::milliseconds(0));
}

TEST(Adapting, TakesWorkFromTheSideThatIsWaitedFor) {
  Engine engine(adapting_settings());
  engine.facts().adopt(with_share(engine, {61, 64}));
  EXPECT_GT(planned_share(engine), 0.9);
  EXPECT_TRUE(comes_to(engine, [](double share) { return share < 0.85; }));
  engine.facts().adopt(with_share(engine, {3, 64}));
  EXPECT_LT(planned_share(engine), 0.1) << "another profile starts from its own plan";
  EXPECT_TRUE(comes_to(engine, [](double share) { return share > 0.15; }));
}

TEST(Adapting, NeedsNoProfile) {
  Engine engine(adapting_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  EXPECT_NEAR(planned_share(engine), 0.5, 0.02);
  Product product;
  const auto why = [&] { return engine.plans().of(product.problem()).reason; };
  // The first call starts the GPU. One whose GPU side ended unseen before the CPU's says only how
  // long it took at most, and the third of these is taken for its time.
  EXPECT_TRUE(comes_true([&] {
    engine.run(product.problem());
    return why() == Reason::share_follows_times;
  })) << sentence(why());
}

Settings choosing_settings() {
  Settings settings = adapting_settings();
  settings.strategy = Strategy::automatic;
  return settings;
}

// The GPU alone at 512, over what the profile says of it.
double known_of_gpu(Engine& engine) {
  Product product;
  return engine.learning().learned(kind_of(product.problem(), {})).of(Timed::gpu_alone).mean;
}

// It tells nothing where its first product takes a fifth of a second, as on a machine with much
// else to do. The next time that is not the first one.
constexpr int most_warm_ups = 50;

void warm_up_until_told(Engine& engine, const GemmProblem& like, ProfileMatch of_profile) {
  for (int times = 0; times < most_warm_ups && known_of_gpu(engine) == 0; ++times)
    warm_up(engine, like, of_profile);
}

TEST(WarmUp, TellsHowFastTheGpuIsBeforeACallNeedsIt) {
  Engine engine(choosing_settings());
  Profile profile = with_share(engine, {32, 64});
  profile.points[0].gpu.seconds = 1e-5;  // 27 TFLOPS
  engine.facts().adopt(profile);
  Product product;
  ASSERT_EQ(known_of_gpu(engine), 0);
  warm_up(engine, product.problem(), ProfileMatch::exact);
  EXPECT_EQ(known_of_gpu(engine), 0) << "of a profile of this device only good news is told";
  const std::vector<float> c(product.c.data(), product.c.data() + 512 * 512);
  warm_up_until_told(engine, product.problem(), ProfileMatch::vendor);
  EXPECT_GT(known_of_gpu(engine), 0.3);
  EXPECT_TRUE(std::equal(c.begin(), c.end(), product.c.data()))
      << "the program's memory is its own";
  EXPECT_FALSE(engine.learning().learned(kind_of(product.problem(), {})).has_seen(Timed::gpu_alone))
      << "no call of the program's has shown anything";
  EXPECT_EQ(engine.learning().learner().gains().worked, 0);
}

TEST(WarmUp, ConfirmsAProfileOfThisDevice) {
  Engine engine(choosing_settings());
  Profile profile = with_share(engine, {32, 64});
  profile.points[0].gpu.seconds = 0.3;  // 0.9 GFLOPS
  profile.points[0].cpu_all_seconds = 3;
  engine.facts().adopt(profile);
  Product product;
  const auto worst = [&] {
    return engine.learning().learned(kind_of(product.problem(), {})).worst_of(Timed::gpu_alone);
  };
  const double unknown = worst();
  warm_up_until_told(engine, product.problem(), ProfileMatch::exact);
  EXPECT_LT(worst(), unknown);
  EXPECT_LT(known_of_gpu(engine), 0) << "it is faster than that";
}

// (Before, it said that the first product took 0 ms.)
TEST(WarmUp, SaysNothingOfATimeThatItDoesNotKnow) {
  Settings settings = choosing_settings();
  settings.verbose = 1;
  Engine engine(settings);
  engine.facts().adopt(with_share(engine, {32, 64}));
  Product product;
  engine.checks().set_mode(CheckMode::always);  // within the calls' times
  testing::internal::CaptureStderr();
  warm_up(engine, product.problem(), ProfileMatch::vendor);
  EXPECT_EQ(testing::internal::GetCapturedStderr().find("the first took 0 ms"), std::string::npos);
  engine.checks().set_mode(CheckMode::off);
  testing::internal::CaptureStderr();
  warm_up(engine, product.problem(), ProfileMatch::vendor);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("the first took "), std::string::npos);
}

TEST(WarmUp, IsOfWhatIsAffordable) {
  Engine engine(choosing_settings());
  engine.facts().adopt(with_share(engine, {32, 64}));
  GemmProblem huge;  // 3 TB
  huge.m = huge.n = huge.k = 500000;
  const auto nothing = engine.learning().learner().kept();
  for (int times = 0; times < most_warm_ups && engine.learning().learner().kept() == nothing;
       ++times)
    warm_up(engine, huge, ProfileMatch::vendor);
  EXPECT_NE(engine.learning().learner().kept(), nothing)
      << "of a part of it, which is there in no time";
  huge.k = 1;
  huge.m = huge.n = 3;
  const auto before = engine.learning().learner().kept();
  warm_up(engine, huge, ProfileMatch::vendor);
  EXPECT_EQ(engine.learning().learner().kept(), before) << "nothing is worth it";
}

// What the class of 512 has shown of this way.
bool has_seen(Engine& engine, Timed what) {
  Product product;
  return engine.learning().learned(kind_of(product.problem(), {})).has_seen(what);
}

// Whether calls show it: one that was disturbed may not be believed.
bool comes_to_see(Engine& engine, Timed what) {
  Product product;
  const auto is_seen = [&] {
    engine.run(product.problem());
    return has_seen(engine, what);
  };
  return comes_true(is_seen, std::chrono::milliseconds(0));
}

// Of the kernels that an earlier process tried, a call loads those that it launches, not others
// that calls like it may need.
TEST(Adapting, LearnsFromCallsWhoseKernelsAnEarlierProcessTried) {
  const TemporaryDirectory cache;
  Settings settings = choosing_settings();
  settings.cache_dir = cache.path();
  const auto opened = [&] {
    auto engine = std::make_unique<Engine>(settings);
    Profile profile = with_share(*engine, {32, 64});
    TunedPoint& point = profile.points[0];
    KernelParams kernel = least_tiled();
    kernel.tile_rows = kernel.tile_cols = kernel.group_rows = kernel.group_cols = 4;
    kernel.k_unroll = 4;
    kernel.local_a = kernel.local_b = true;
    point.gpu.kernel = point.hybrid.kernel = canonical(kernel);
    engine->facts().adopt(profile);
    return engine;
  };
  Product product;
  {
    const auto earlier = opened();
    ASSERT_TRUE(comes_true([&] { return earlier->run(product.problem()).used_gpu; }));
  }
  std::filesystem::remove_all(cache / "learned");
  const auto later = opened();
  ASSERT_TRUE(later->run(product.problem()).used_gpu);
  EXPECT_TRUE(comes_to_see(*later, Timed::gpu_side));
}

TEST(Adapting, LearnsNothingOfTheFirstCallOfTheCpuAlone) {
  Engine engine(choosing_settings());
  Profile profile = with_share(engine, {32, 64});
  profile.points[0].gpu.seconds = profile.points[0].hybrid.seconds = 3;
  profile.points[0].gpu_side_seconds = profile.points[0].cpu_side_seconds = 3;
  profile.points[0].cpu_all_seconds = 2e-3;
  engine.facts().adopt(profile);
  Product product;
  engine.run(product.problem());
  EXPECT_FALSE(has_seen(engine, Timed::cpu_all)) << "threads of the BLAS may have been made";
  EXPECT_TRUE(comes_to_see(engine, Timed::cpu_all));
}

TEST(Adapting, LearnsNothingOfTheFirstCallOfTheGpu) {
  Engine engine(choosing_settings());
  Profile profile = with_share(engine, {32, 64});
  profile.points[0].gpu.seconds = 5e-3;
  profile.points[0].hybrid.seconds = 1;
  profile.points[0].gpu_side_seconds = profile.points[0].cpu_side_seconds = 1;
  profile.points[0].cpu_all_seconds = 3;
  engine.facts().adopt(profile);
  Product product;
  // Until its kernels are built the CPU computes.
  ASSERT_TRUE(comes_true([&] { return engine.run(product.problem()).used_gpu; }));
  EXPECT_FALSE(has_seen(engine, Timed::gpu_alone)) << "it may have waited for anything";
  EXPECT_TRUE(comes_to_see(engine, Timed::gpu_alone));
}

TEST(Adapting, ComputesEntryRowsOnBothSidesAndTheOthersAfterwards) {
  Engine engine(adapting_settings());
  engine.facts().adopt(with_share(engine, {32, 64}));
  Product product;
  product.a.randomise(1);
  product.b.randomise(2);
  const auto compute = [&](std::int64_t entry_rows) {
    GemmProblem problem = product.problem();
    product.c.randomise(3);
    problem.beta = -1.0;
    Plan plan = engine.plans().of(problem);
    plan.entry_rows = entry_rows;
    if (entry_rows > 0) plan.gpu_extent = entry_rows / 2;
    const Outcome outcome = engine.run(problem, plan);
    EXPECT_TRUE(outcome.used_gpu);
    EXPECT_GE(outcome.times.whole, outcome.times.gpu);
    return std::vector<float>(product.c.data(), product.c.data() + 512 * 512);
  };
  const auto whole = compute(0);
  for (const std::int64_t rows : {32, 128, 511, 512}) {
    const auto parts = compute(rows);
    for (std::size_t i = 0; i < whole.size(); ++i) ASSERT_NEAR(parts[i], whole[i], 1e-3) << rows;
  }
}

// The rest has all cores, which calls of other threads are not to be learned with. Of what is done
// as told nothing else is known to the learner.
TEST(Adapting, KnowsOfTheRowsThatFollowAfterTheFirstOnes) {
  Engine engine(adapting_settings());
  engine.facts().adopt(with_share(engine, {32, 64}));
  Product product;
  Plan plan = engine.plans().of(product.problem());
  ASSERT_TRUE(plan.uses_gpu());
  plan.entry_rows = 32;
  plan.gpu_extent = 16;
  std::atomic<bool> is_wanted{true};
  std::thread multiplies([&] {
    while (is_wanted) (void)engine.run(product.problem(), plan);
  });
  EXPECT_TRUE(comes_true([&] { return engine.learning().learner().is_contended(); }));
  is_wanted = false;
  multiplies.join();
  EXPECT_FALSE(engine.learning().learner().is_contended());
}

TEST(Adapting, ChangesNothingOfWhatIsComputedAsTold) {
  Engine engine(adapting_settings());
  engine.facts().adopt(with_share(engine, {61, 64}));
  Product product;
  const Plan plan = engine.plans().of(product.problem());
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(engine.run(product.problem(), plan).plan.gpu_extent, plan.gpu_extent);
  EXPECT_EQ(engine.plans().of(product.problem()).gpu_extent, plan.gpu_extent);
}

TEST(Adapting, IsOffWhereItIsNotWanted) {
  Settings settings = adapting_settings();
  settings.adapt = false;
  Engine engine(settings);
  engine.facts().adopt(with_share(engine, {61, 64}));
  const double before = planned_share(engine);
  Product product;
  for (int i = 0; i < 20; ++i) engine.run(product.problem());
  EXPECT_EQ(planned_share(engine), before);
}

TEST(Adapting, KeepsTheAnswersRightWhileTheShareMoves) {
  Context context(adapting_settings());
  for (int round = 0; round < 12; ++round) {
    for (int type = 0; type < 4; ++type) {
      with_type(type, [&](auto zero) {
        using T = decltype(zero);
        CaseFactors factors = product(130 + round);
        factors.op_a = round % 2 == 0 ? Op::none : Op::transpose;
        expect_right<T>(factors, through<T>(context));
      });
    }
  }
}

TEST(Adapting, KeepsTheAnswersRightFromEightThreads) {
  Context context(adapting_settings());
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&context, t] {
      for (int round = 0; round < 10; ++round)
        expect_right<double>(product(100 + 20 * (t % 3)), through<double>(context));
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(Adapting, LeavesEveryBitOfAGivenSplitAlone) {
  for (const bool by_call : {false, true}) {
    Settings settings = adapting_settings();
    if (!by_call) settings.split = Share{61, 64};
    Context context(settings);
    if (by_call) context.set_split(Share{61, 64});
    TestMatrix<float> a(256, 256), b(256, 256), first(256, 256), c(256, 256);
    a.randomise(1);
    b.randomise(2);
    const auto compute = [&](TestMatrix<float>& to) {
      context.gemm(Layout::row_major, Op::none, Op::none, 256, 256, 256, 1.0f, a.data(), 256,
                   b.data(), 256, 0.0f, to.data(), 256);
      EXPECT_EQ(Context::last_call().gpu_rows, 244);
    };
    compute(first);
    for (int i = 0; i < 15; ++i) {
      compute(c);
      EXPECT_TRUE(std::equal(c.data(), c.data() + 256 * 256, first.data()));
    }
  }
}

}  // namespace
}  // namespace duoblas::test

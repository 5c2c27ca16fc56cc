// A program of level-3 calls whose device, or CPU, changes its speed on the way: another program
// uses it for a while. Times are played; what they are judged by is the decision of each call.
#include <algorithm>
#include <variant>
#include <vector>

#include "fronts.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

/// Seconds of a call as one job of the device, and on the CPU.
struct Speeds {
  double job = 0, cpu = 0;
  double better() const { return std::min(job, cpu); }
};

class ChangedSpeeds : public testing::Test {
 protected:
  ChangedSpeeds() : engine(settings()) {
    p.routine = Routine::symm;
    p.precision = Precision::d;
    // A triangle of few lines, so that halves are out of the question. Its product has many rows,
    // so that a device may begin with few of them, however many its kernels' tiles have. By the
    // profile 1 s on the CPU.
    p.side = Side::right;
    p.m = 9000;
    p.n = p.lda = p.ldb = p.ldc = 120;
  }
  void SetUp() override {
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    engine.facts().adopt(flattering_profile(engine));
    // A first one does not count.
    for (int i = 0; i < 2; ++i) engine.learning().ways().observe(class_of(p), Way::job, 0.1);
  }

  static Settings settings() {
    Settings chosen = forced_settings();
    chosen.strategy = Strategy::automatic;
    chosen.split.reset();
    chosen.adapt = true;
    chosen.device = "0";
    chosen.cache_dir.clear();
    return chosen;
  }

  /// What so many calls take longer than the better side, in parts of that.
  double excess(int calls, const Speeds& speeds) {
    double sum = 0;
    for (int i = 0; i < calls; ++i) {
      const Decision decision = decide(engine, p);
      const double took = decision.uses_gpu() ? speeds.job : speeds.cpu;
      engine.learning().ways().observe(class_of(p), decision.uses_gpu() ? Way::job : Way::plain,
                                       took);
      sum += took;
    }
    return sum / (calls * speeds.better()) - 1;
  }

  Engine engine;
  Level3Problem p;
};

constexpr double most_excess = 0.025;  // as of products on a GPU that throttles

TEST_F(ChangedSpeeds, LeaveCallsToTheCpuWhileTheDeviceIsSlow) {
  EXPECT_LT(excess(400, {0.1, 1}), most_excess);
  EXPECT_LT(excess(800, {4, 1}), most_excess);
}

TEST_F(ChangedSpeeds, AreFoundOutWhenTheDeviceIsFastAgain) {
  excess(100, {0.1, 1});
  excess(100, {4, 1});
  excess(400, {0.1, 1});
  EXPECT_LT(excess(400, {0.1, 1}), most_excess);
}

TEST_F(ChangedSpeeds, LeaveCallsToTheDeviceWhileTheCpuIsSlow) {
  excess(100, {1, 0.5});
  excess(100, {1, 3});
  EXPECT_LT(excess(400, {1, 3}), most_excess);
  excess(400, {1, 0.5});
  EXPECT_LT(excess(400, {1, 0.5}), most_excess) << "and it is fast again";
}

// The profile promises a second.
TEST_F(ChangedSpeeds, OfACpuThatIsFasterThanWasPromisedAreFoundOut) {
  excess(300, {0.3, 0.1});
  EXPECT_LT(excess(400, {0.3, 0.1}), most_excess);
}

// A device of which the CPU's due is just under half of what it can have at least: 15.7 of 32
// lines.
TEST_F(ChangedSpeeds, LeaveTheCpusSideItsFewestLinesBeforeNone) {
  if (copies(engine.gpu()->best_sharing())) return;  // the plan's share stays
  p.routine = Routine::syrk;
  p.n = p.ldc = 256;
  p.k = p.lda = 9000;
  Profile profile = flattering_profile(engine);
  for (TunedPoint& point : profile.points) point.hybrid.sharing = engine.gpu()->best_sharing();
  engine.facts().adopt(std::move(profile));
  WayChooser& ways = engine.learning().ways();
  constexpr double share = 0.881;
  for (const CallsAre calls : {CallsAre::usual, CallsAre::unusual})
    for (int i = 0; i < 3; ++i) {  // the first one is not counted, the second one not believed
      ways.observe(class_of(p, calls), Way::job, 1e-3);
      ways.observe_sides(class_of(p, calls), 0.5, 0.5 / share, 0.5 / (1 - share));
    }
  const Decision decision = decide(engine, p);
  ASSERT_EQ(decision.steps.size(), 1u);
  const auto* job = std::get_if<DeviceCall>(&decision.steps.front());
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->gpu_extent, 256 - 32);
}

// Halves are below the crossover, one job is not. Else the device would never be looked at again.
TEST_F(ChangedSpeeds, CountTheCpusCallsWhereOnlyHalvesAreTooSmall) {
  constexpr std::int64_t n = 512;  // as in the profile
  const std::vector<double> a(n * n, 1.0), b(n * n, 1.0);
  std::vector<double> c(n * n);
  p.m = p.n = p.lda = p.ldb = p.ldc = n;
  p.a = a.data();
  p.b = b.data();
  p.c = c.data();
  Profile profile = flattering_profile(engine);
  profile.crossover_flops[precision_index(p.precision)] = 1e9;
  engine.facts().adopt(std::move(profile));
  WayChooser& ways = engine.learning().ways();
  const auto saw_jobs = [&](double seconds) {
    for (const CallsAre calls : {CallsAre::usual, CallsAre::unusual})
      for (int i = 0; i < 3; ++i) ways.observe(class_of(p, calls), Way::job, seconds);
  };
  saw_jobs(1e-3);
  ASSERT_TRUE(decide(engine, p).uses_gpu());
  saw_jobs(10);
  const Decision decision = decide(engine, p);
  ASSERT_EQ(decision.reason, Reason::below_crossover);
  for (int i = 0; i < 4; ++i)  // a first one does not count, and some may be beside a compiler
    EXPECT_FALSE(carry_out(engine, p, decision).used_gpu);
  EXPECT_TRUE(ways.seen_seconds(class_of(p), Way::plain) ||
              ways.seen_seconds(class_of(p, CallsAre::unusual), Way::plain));
}

// The products of halves are known to be slow on the device, so that the CPU does the whole calls,
// which show nothing of such products.
TEST_F(ChangedSpeeds, OfProductsInsideAreFoundOutThoughTheCpuDoesTheCalls) {
  p.m = p.n = p.lda = p.ldb = p.ldc = 1024;
  const auto halves = [&] { return decide(engine, p, cpu_blas_limits, Level3Mode::halves); };
  ASSERT_TRUE(halves().uses_gpu());
  for (int call = 0; call < 50 && halves().uses_gpu(); ++call)
    for (const CallStep& step : halves().steps) {
      const auto* product = std::get_if<PlannedProduct>(&step);
      if (product == nullptr || !product->plan.forecast) continue;
      const Forecast& forecast = *product->plan.forecast;
      CallTimes took;
      for (const Timed what : {Timed::gpu_alone, Timed::gpu_side, Timed::cpu_side}) {
        const double slower = what == Timed::cpu_side ? 1 : 30;
        const double seconds = slower * forecast.modelled[place_of(what)];
        took.seconds[place_of(what)] = seconds;
        took.whole = std::max(took.whole, seconds);
      }
      engine.learning().learner().note(forecast.kind, forecast, took);
    }
  ASSERT_FALSE(halves().uses_gpu());
  int calls = 0;
  while (!halves().uses_gpu() && calls < 50'000) ++calls;
  EXPECT_LT(calls, 50'000);
}

TEST_F(ChangedSpeeds, GiveTheCpusSideItsLinesAgain) {
  WayChooser& ways = engine.learning().ways();
  for (int i = 0; i < 4; ++i) ways.observe_sides(class_of(p), 0.5, 0.1, 1000);
  EXPECT_EQ(ways.balanced_share(class_of(p), 32.0 / 9000), 1.0) << "less than a line is its due";
  // Both sides are equally fast now.
  bool was_given = false;
  for (int i = 0; i < 10'000 && !was_given; ++i) {
    const double share = ways.balanced_share(class_of(p), 32.0 / 9000).value_or(0);
    was_given = share < 1;
    ways.observe_sides(class_of(p), share, 0.2 * share, 0.2 * (1 - share));
  }
  EXPECT_NEAR(ways.balanced_share(class_of(p), 32.0 / 9000).value_or(0), 0.5, 1e-6);
}

}  // namespace
}  // namespace duoblas::test

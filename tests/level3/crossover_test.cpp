// When a call is left to the program's own BLAS, and what the drop-in's table then says.
#include <duoblas/error.hpp>

#include <cmath>
#include <future>

#include "engine/background_work.hpp"
#include "fronts.hpp"
#include "level3/blocked_level3.hpp"
#include "support/driver_ability.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

Settings settings_of(Strategy strategy) {
  Settings settings = Settings::from_environment();
  settings.strategy = strategy;
  settings.split.reset();
  settings.profile_dir.clear();
  return settings;
}

template <typename T>
void expect_left_alone(Engine& engine, const Level3Factors& f) {
  SCOPED_TRACE(text(f));
  Level3Matrices<T> matrices(f);
  const Level3Matrices<T> before = matrices;
  bool was_done = true;
  as_plain_c<T>(engine, was_done)(matrices.call(f));
  EXPECT_FALSE(was_done);
  for (std::int64_t line = 0; line < matrices.c.lines(); ++line)
    for (std::int64_t i = 0; i < matrices.c.length(); ++i)
      ASSERT_TRUE(same_bits(matrices.c.at(line, i), before.c.at(line, i)));
}

TEST(Crossover, IsInfiniteWhereTheCpuWasAskedForAndZeroWhereTheGpuWas) {
  const Engine cpu(settings_of(Strategy::cpu));
  const Engine hybrid(settings_of(Strategy::hybrid));
  Engine split(settings_of(Strategy::automatic));
  split.plans().set_split(Share{4, 16});
  for (const Routine routine : all_routines) {
    EXPECT_EQ(smallest_flops(cpu, routine, Precision::z), INFINITY);
    EXPECT_EQ(smallest_flops(hybrid, routine, Precision::z), 0);
    EXPECT_EQ(smallest_flops(split, routine, Precision::z), 0);
  }
}

TEST(Crossover, IsTwiceOrFourTimesThatOfGemmBeforeTheDeviceIsOpen) {
  const Engine engine(settings_of(Strategy::automatic));
  const double gemm = engine.plans().smallest_gemm_flops(Precision::d);
  EXPECT_GT(gemm, 0);
  EXPECT_TRUE(std::isfinite(gemm));
  for (const Routine routine : {Routine::syrk, Routine::herk, Routine::trmm, Routine::trsm})
    EXPECT_EQ(smallest_flops(engine, routine, Precision::d), 2 * gemm);
  for (const Routine routine : {Routine::symm, Routine::hemm, Routine::syr2k, Routine::her2k})
    EXPECT_EQ(smallest_flops(engine, routine, Precision::d), 4 * gemm);
}

// The flops of a profile's crossover, and a call just below and at eight times that, which is as
// skewed as shapes get.
TEST(Crossover, FollowsTheProfileOnceTheDeviceIsOpen) {
  Engine engine(forced_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  Profile profile;
  TunedPoint point;
  point.precision = Precision::d;
  point.m = point.n = point.k = 1024;
  profile.points.push_back(point);
  profile.crossover_flops[precision_index(Precision::d)] = 8e9;
  PlanMachine machine = engine.machine();
  machine.use(profile);
  machine.match = ProfileMatch::exact;  // a profile of another device may have been found
  machine.learns = false;
  EXPECT_EQ(least_automatic_gpu_flops(machine, Precision::d), 1e9);
  EXPECT_EQ(least_automatic_gpu_flops(machine, Precision::s), 1e9) << "d speaks for s";
  machine.match = ProfileMatch::vendor;
  machine.learns = true;
  EXPECT_EQ(least_automatic_gpu_flops(machine, Precision::d), 1e9) << "calls will show";
  machine.learns = false;
  EXPECT_EQ(least_automatic_gpu_flops(machine, Precision::d), INFINITY);
}

TEST(Crossover, LeavesCallsAloneWhereTheCpuIsBetter) {
  Engine cpu(settings_of(Strategy::cpu));
  Settings as_tuned = settings_of(Strategy::automatic);
  as_tuned.adapt = false;  // a machine for which a profile is shipped would look at its GPU
  Engine untuned(as_tuned);
  for (const Routine routine : all_routines) {
    Level3Factors f{routine};
    f.beta = 0.5;
    for (const std::int64_t order : {0, 1, 40, 300}) {
      f.order = f.free = order;
      expect_left_alone<std::complex<float>>(cpu, f);
      expect_left_alone<std::complex<float>>(untuned, f);
    }
  }
}

TEST(Crossover, DecidesTheProductsOfACallBeforeItIsMade) {
  Settings settings = settings_of(Strategy::automatic);
  settings.device = "0";  // a CPU device is taken where it is named
  settings.adapt = false;
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  EXPECT_TRUE(decide(engine, Level3Problem{}).steps.empty());
  engine.facts().adopt(flattering_profile(engine));
  for (const Routine routine : {Routine::syrk, Routine::symm, Routine::trsm}) {
    Level3Factors f{routine};
    f.order = f.free = 600;
    Level3Matrices<double> matrices(f);
    const Level3Problem problem = to_row_major(matrices.call(f));
    const Decision decision = decide(engine, problem, cpu_blas_limits, Level3Mode::halves);
    EXPECT_EQ(decision.who, Who::both);
    int products = 0;
    for (const CallStep& step : decision.steps)
      products += std::holds_alternative<PlannedProduct>(step);
    EXPECT_GT(products, 0);
    for (const CallStep& step : decision.steps)
      if (const auto* product = std::get_if<PlannedProduct>(&step)) {
        engine.readiness().build_here(Launches(product->problem, product->plan));
        EXPECT_TRUE(engine.readiness().has(Launches(product->problem, product->plan)))
            << "they were just made";
      }
    const Outcome outcome = carry_out(engine, problem, decision);
    EXPECT_EQ(outcome.products, products);
    EXPECT_TRUE(outcome.used_gpu);
  }
}

// The same of a device that shares the host's memory: both sides are at work, and no operand is
// copied.
TEST(Crossover, GivesTheDeviceTheWholeCallInPlaceWhereItShares) {
  Settings settings = settings_of(Strategy::automatic);
  settings.device = std::string("0");  // a CPU device is taken where it is named
  settings.adapt = false;
  settings.check = CheckMode::off;
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  if (!can_or_tells(engine.gpu()->info(), engine.gpu()->sharing().granularity() == 1,
                    shares_not_all))
    return;
  Profile profile = flattering_profile(engine);
  for (TunedPoint& point : profile.points)
    point.hybrid.sharing = point.gpu.sharing = point.simple.sharing = SharingMode::host_pointer;
  engine.facts().adopt(profile);
  for (const Routine routine : {Routine::syrk, Routine::symm, Routine::trmm, Routine::trsm})
    for (const Side side : {Side::left, Side::right}) {
      if (updates_triangle(routine) && side == Side::right) continue;
      Level3Factors f{routine};
      SCOPED_TRACE(name(routine));
      f.side = side;
      f.order = f.free = 600;
      Level3Matrices<float> matrices(f);
      const CallerLevel3 call = matrices.call(f);
      const Level3Reference<float> reference(call);
      const Level3Problem problem = to_row_major(call);
      // A solve by halves is expected to be faster here.
      if (routine != Routine::trsm) {
        EXPECT_EQ(decide(engine, problem).steps.size(), 1u);
      }
      const Decision decision = decide(engine, problem, cpu_blas_limits, Level3Mode::job);
      ASSERT_EQ(decision.steps.size(), 1u);
      const auto* job = std::get_if<DeviceCall>(&decision.steps.front());
      ASSERT_NE(job, nullptr);
      EXPECT_LT(job->gpu_extent, divided_extent(problem));
      EXPECT_TRUE(job->in_place.a);
      // From the left the CPU has columns of the same rows.
      const bool has_rows = updates_triangle(routine) || side == Side::right;
      EXPECT_EQ(job->in_place.c, has_rows);
      for (const auto& [product, plan] : products_of(*job))
        engine.readiness().build_here(Launches(product, plan));
      const std::uint64_t before = engine.gpu()->copied().staged;
      const Outcome outcome = carry_out(engine, problem, decision);
      EXPECT_TRUE(outcome.used_gpu);
      EXPECT_LT(reference.scaled_error(), 1);
      const std::uint64_t copied = engine.gpu()->copied().staged - before;
      const std::uint64_t of_c = 600 * 600 * sizeof(float);
      if (job->in_place.c)
        EXPECT_LT(copied, of_c / 4) << "diagonal blocks";
      else
        EXPECT_LE(copied, 2 * of_c + of_c / 4) << "C, there and back";
    }
}

// What the profile promises of products holds of the whole call, which has no rest for the CPU.
TEST(Crossover, GivesTheDeviceTheWholeCallWhereItCopiesAndThatIsExpectedToBeFaster) {
  Settings settings = settings_of(Strategy::automatic);
  settings.device = "0";  // a CPU device is taken where it is named
  settings.adapt = false;
  settings.check = CheckMode::off;
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  for (const Routine routine : {Routine::syrk, Routine::symm, Routine::trmm}) {
    Level3Factors f{routine};
    SCOPED_TRACE(name(routine));
    f.order = f.free = 600;
    Level3Matrices<double> matrices(f);
    const CallerLevel3 call = matrices.call(f);
    const Level3Reference<double> reference(call);
    const Level3Problem problem = to_row_major(call);
    const Decision decision = decide(engine, problem);
    ASSERT_EQ(decision.steps.size(), 1u);
    const auto* job = std::get_if<DeviceCall>(&decision.steps.front());
    ASSERT_NE(job, nullptr);
    for (const auto& [product, plan] : products_of(*job)) {
      engine.readiness().build_here(Launches(product, plan));
      EXPECT_TRUE(engine.readiness().has(Launches(product, plan))) << "they were just made";
    }
    const Outcome outcome = carry_out(engine, problem, decision);
    EXPECT_TRUE(outcome.used_gpu);
    EXPECT_LT(reference.scaled_error(), 1);
  }
}

// A triangle of few lines, so that halves are out of the question.
TEST(Crossover, LeavesCallsAloneThatTheCpuWasSeenToDoFaster) {
  Settings settings = settings_of(Strategy::automatic);
  settings.device = "0";
  settings.cache_dir.clear();  // where other programs leave kernels, and what their calls showed
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  engine.facts().adopt(flattering_profile(engine));
  Level3Problem p;
  p.routine = Routine::symm;
  p.precision = Precision::d;
  p.side = Side::right;
  p.m = 9000;
  p.n = p.lda = p.ldb = p.ldc = 120;
  const auto is_job = [&](const Decision& decision) {
    return decision.steps.size() == 1 && std::holds_alternative<DeviceCall>(decision.steps.front());
  };
  for (int i = 0; i < 2; ++i) engine.learning().ways().observe(class_of(p), Way::job, 0.1);
  ASSERT_TRUE(is_job(decide(engine, p)));
  for (int i = 0; i < 2; ++i) engine.learning().ways().observe(class_of(p), Way::plain, 0.05);
  EXPECT_FALSE(is_job(decide(engine, p)));

  // What is left to the CPU is such a call. Until the end the device lacks its kernels, which are
  // built behind this piece of work.
  std::promise<void> end;
  ASSERT_TRUE(give_background_work([ended = end.get_future().share()] { ended.wait(); }));
  Level3Factors f{Routine::symm};
  f.order = 120;
  f.free = 3000;
  for (int i = 0; i < 4; ++i)  // a first one does not count
    expect_right<float>(f, [&](const CallerLevel3& call) {
      const Level3Problem problem = to_row_major(call);
      const Decision decision = decide(engine, problem);
      EXPECT_FALSE(carry_out(engine, problem, decision).used_gpu);
    });
  end.set_value();
  Level3Matrices<float> like(f);
  const auto is_seen = [&](CallsAre calls) {
    return engine.learning()
        .ways()
        .seen_seconds(class_of(to_row_major(like.call(f)), calls), Way::plain)
        .has_value();
  };
  EXPECT_TRUE(is_seen(CallsAre::usual) || is_seen(CallsAre::unusual)) << "beside that work";
}

TEST(Crossover, LeavesCallsAloneThatTheCpuBlasHasNoRoutineFor) {
  Settings settings = forced_settings();
  settings.cpu_blas = RECORDING_BLAS;  // gemm only
  Engine engine(settings);
  Level3Factors f{Routine::syrk};
  f.order = f.free = 40;
  expect_left_alone<double>(engine, f);
  Level3Matrices<double> matrices(f);
  try {
    run_level3(engine, to_row_major(matrices.call(f)));
    FAIL() << "there is no syrk";
  } catch (const CpuBlasError& error) {
    EXPECT_NE(std::string(error.what()).find("cblas_dsyrk"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace duoblas::test

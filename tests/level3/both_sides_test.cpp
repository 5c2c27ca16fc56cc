// Every routine with every flag through both sides, at sizes that have little and at such that have
// several levels of halves.
#include <cstdint>
#include <future>
#include <thread>
#include <utility>
#include <vector>

#include "fronts.hpp"
#include "problem/halving.hpp"
#include "support/covering_array.hpp"

namespace duoblas::test {
namespace {

constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};

template <typename Body>
void for_all_flags(Routine routine, Body&& body) {
  Level3Factors f;
  f.routine = routine;
  for (const Layout layout : {Layout::row_major, Layout::column_major})
    for (const Side side : {Side::left, Side::right})
      for (const Uplo uplo : {Uplo::upper, Uplo::lower})
        for (const Op op : ops)
          for (const Diag diag : {Diag::non_unit, Diag::unit}) {
            const bool has_side = !updates_triangle(routine),
                       has_op = !(has_side && !is_in_place(routine));
            if (!has_side && side == Side::right) continue;
            if (!has_op && op != Op::none) continue;
            if (!is_in_place(routine) && diag == Diag::unit) continue;
            f.layout = layout;
            f.side = side;
            f.uplo = uplo;
            f.op = op;
            f.diag = diag;
            body(f);
          }
}

class Level3 : public ::testing::TestWithParam<Routine> {};

TEST_P(Level3, IsRightWithEveryFlagAtEverySplit) {
  Engine engine(forced_settings());
  std::uint64_t seed = 1;
  for (const int gpu_parts : {0, 5, 16}) {
    engine.plans().set_split(Share{gpu_parts, 16});
    for_all_flags(GetParam(), [&](Level3Factors f) {
      for_all_types([&](auto zero) {
        using T = decltype(zero);
        if (!exists<T>(f)) return;
        f.order = 37;
        f.free = 19;
        f.pad = 3;
        f.alpha = -0.7;
        f.beta = gpu_parts == 5 ? 0 : 1.5;
        f.seed = seed += 10;
        SCOPED_TRACE("split " + std::to_string(gpu_parts) + "/16");
        expect_right<T>(f, through(engine));
      });
    });
  }
}

// The program asks; a line of the log says the same.
TEST(Level3Job, TellsHowManyOfItsLinesTheGpuHad) {
  Context context(forced_settings());
  context.set_split(Share{8, 16});
  const std::int64_t order = 256, sides = 320;
  std::vector<double> a(order * order, 1.0), b(order * sides, 1.0), c(order * order, 0.0);
  for (std::int64_t i = 0; i < order; ++i) a[static_cast<std::size_t>(i * order + i)] = 2000;
  const auto expect_rows = [&](std::int64_t rows, bool by_columns) {
    const CallSummary did = Context::last_call();
    EXPECT_EQ(did.strategy, rows < sides ? Strategy::hybrid : Strategy::gpu);
    EXPECT_EQ(did.gpu_rows, rows);
    EXPECT_EQ(did.by_columns, by_columns);
  };
  const auto solve = [&](Side side) {
    const bool left = side == Side::left;
    context.trsm<double>(Layout::row_major, side, Uplo::lower, Op::none, Diag::non_unit,
                         left ? order : sides, left ? sides : order, 1, a.data(), order, b.data(),
                         left ? sides : order);
  };
  solve(Side::left);
  expect_rows(sides / 2, true);  // columns of B are the lines
  solve(Side::right);
  expect_rows(sides / 2, false);
  context.set_split(Share{16, 16});
  solve(Side::left);
  expect_rows(sides, true);

  context.syrk<double>(Layout::row_major, Uplo::lower, Op::none, order, 64, 1, a.data(), order, 0,
                       c.data(), order);
  EXPECT_EQ(Context::last_call().gpu_rows, order);
  context.set_split(Share{8, 16});
  context.syrk<double>(Layout::row_major, Uplo::lower, Op::none, order, 64, 1, a.data(), order, 0,
                       c.data(), order);
  EXPECT_GT(Context::last_call().gpu_rows, order / 2) << "of a triangle the first lines are short";
  EXPECT_LT(Context::last_call().gpu_rows, order);
}

TEST_P(Level3, IsRightOverACoveringArrayOfAllFactors) {
  constexpr std::int64_t orders[] = {0, 1, 2, 7, 8, 9, 16, 17, 33, 65, 130};
  constexpr std::int64_t frees[] = {0, 1, 2, 15, 64, 129};
  constexpr double scalars[] = {0, 1, -0.7};
  constexpr int splits[] = {0, 1, 8, 15, 16};
  Engine engine(forced_settings());
  Context context(forced_settings());
  std::uint64_t seed = 1000;
  enum { split, layout, side, uplo, op, diag, type, ord, fre, pad, offset, alpha, beta, front };
  for (const auto& row : covering_array({5, 2, 2, 2, 3, 2, 4, 11, 6, 2, 2, 3, 3, 3}, 11)) {
    const Level3Factors f{GetParam(),
                          row[layout] == 0 ? Layout::row_major : Layout::column_major,
                          row[side] == 0 ? Side::left : Side::right,
                          row[uplo] == 0 ? Uplo::upper : Uplo::lower,
                          ops[row[op]],
                          row[diag] == 0 ? Diag::non_unit : Diag::unit,
                          orders[row[ord]],
                          frees[row[fre]],
                          row[pad] * 5,
                          row[offset],
                          scalars[row[alpha]],
                          scalars[row[beta]],
                          seed += 10};
    const Share share{splits[row[split]], 16};
    engine.plans().set_split(share);
    context.set_split(share);
    SCOPED_TRACE("split " + std::to_string(share.gpu_parts) + "/16, front " +
                 std::to_string(row[front]));
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      if (precision_index(precision_of<T>) != static_cast<std::size_t>(row[type])) return;
      if (!exists<T>(f)) return;
      bool was_done = true;
      const Level3Front fronts[] = {through(engine), as_plain_c<T>(engine, was_done),
                                    through<T>(context)};
      expect_right<T>(f, fronts[row[front]]);
      EXPECT_TRUE(was_done) << "a forced split is never left to the CPU";
    });
  }
}

TEST_P(Level3, DoesMostOfTheWorkAsProductsOfBothSides) {
  Engine engine(forced_settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  for_all_types([&](auto zero) {
    using T = decltype(zero);
    Level3Factors f{GetParam()};
    f.order = 128;
    f.free = 48;
    f.alpha = f.beta = 0.5;
    if (!exists<T>(f)) return;
    expect_right<T>(f, [&](const CallerLevel3& call) {
      const Outcome did =
          run_level3(engine, to_row_major(call), cpu_blas_limits, Level3Mode::halves);
      EXPECT_EQ(did.plan.strategy, Strategy::hybrid);
      EXPECT_GT(did.plan.gpu_extent, 0);
      // Three levels: 1 + 2 + 4 full blocks, with one or two products each.
      EXPECT_EQ(did.products, largest_product_share(f.routine) == 0.25 ? 14 : 7);
      EXPECT_FALSE(did.recovered);
      EXPECT_GT(did.times.whole, 0);
    });
  });
}

TEST_P(Level3, IsOneJobOfTheDeviceBesideTheCpuBlasWhereTheGpuIsInsistedOn) {
  Settings settings = forced_settings();
  settings.check = CheckMode::off;
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  for (const int gpu_parts : {8, 16})
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      engine.plans().set_split(Share{gpu_parts, 16});
      Level3Factors f{GetParam()};
      f.order = 128;
      f.free = 48;
      f.alpha = f.beta = 0.5;
      if (!exists<T>(f)) return;
      expect_right<T>(f, [&](const CallerLevel3& call) {
        const Level3Problem problem = to_row_major(call);
        const Decision decision = decide(engine, problem);
        ASSERT_EQ(decision.steps.size(), 1u);
        const auto* job = std::get_if<DeviceCall>(&decision.steps.front());
        ASSERT_NE(job, nullptr);
        EXPECT_EQ(job->gpu_extent == divided_extent(problem), gpu_parts == 16);
        EXPECT_EQ(decision.who, gpu_parts == 16 ? Who::gpu : Who::both);
        const Outcome did = carry_out(engine, problem, decision);
        EXPECT_TRUE(did.used_gpu);
        EXPECT_FALSE(did.recovered);
        EXPECT_EQ(did.products, 1);
        EXPECT_GT(did.times.whole, 0);
      });
    });
}

// A tuned kernel may have sizes compiled in, which a job's many sizes are not worth.
TEST_P(Level3, AsOneJobTakesTheKernelsThatItSays) {
  Engine engine(forced_settings());
  Level3Factors f{GetParam()};
  f.order = 64;
  f.free = 24;
  expect_right<std::complex<double>>(f, [&](const CallerLevel3& caller) {
    const Level3Problem problem = to_row_major(caller);
    Decision decision = decide(engine, problem);
    auto& call = std::get<DeviceCall>(decision.steps.front());
    call.plan.kernel.inline_sizes = true;
    EXPECT_TRUE(carry_out(engine, problem, decision).used_gpu);
    for (const auto& [product, plan] : products_of(call))
      EXPECT_TRUE(engine.readiness().has(Launches(product, plan)));
  });
}

TEST_P(Level3, IsCheckedAsOneJob) {
  Settings settings = forced_settings();
  settings.check = CheckMode::always;
  Engine engine(settings);
  Level3Factors f{GetParam()};
  f.order = 64;
  f.free = 24;
  expect_right<std::complex<double>>(f, [&](const CallerLevel3& call) {
    const Outcome did = run_level3(engine, to_row_major(call));
    EXPECT_EQ(did.products, 1);
    EXPECT_GT(did.check_seconds, 0);
  });
  EXPECT_EQ(engine.checks().counts().checked, 1u);
  EXPECT_EQ(engine.checks().counts().suspected, 0u);
}

TEST_P(Level3, IsRightFromSeveralThreadsAtOnce) {
  Engine engine(forced_settings());
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t call = 0; call < 4; ++call) {
        Level3Factors f{GetParam()};
        f.layout = call % 2 == 0 ? Layout::row_major : Layout::column_major;
        f.uplo = t % 2 == 0 ? Uplo::upper : Uplo::lower;
        f.order = 61;
        f.free = 33;
        f.beta = 0.5;
        f.seed = 100 * t + call;
        if (exists<float>(f)) expect_right<float>(f, through(engine));
        expect_right<std::complex<double>>(f, through(engine));
      }
    });
  for (auto& thread : threads) thread.join();
}

// Two products that write the same, as steps.
struct ProductSteps {
  static constexpr std::int64_t n = 32;
  std::vector<float> ones = std::vector<float>(n * n, 1), c = std::vector<float>(n * n);
  PlannedProduct planned;

  GemmProblem product(std::vector<float>& to) const {
    GemmProblem product;
    product.m = product.n = product.k = product.lda = product.ldb = product.ldc = n;
    product.alpha = 1.0;
    product.beta = 0.0;
    product.a = product.b = ones.data();
    product.c = to.data();
    return product;
  }
  Outcome carry_out(Engine& engine, const Level3Steps& steps) const {
    return engine.carry_out(Precision::s, {planned, planned}, Plan(planned.plan), steps);
  }
};

// The other call insists on the device, so it would wait for ever.
TEST(StepsOfLevel3, LeaveTheDeviceToOtherCallsWhereTheyAreWithoutIt) {
  Engine engine(forced_settings());
  ProductSteps two;
  std::vector<float> of_other(two.c.size());
  two.planned.problem = two.product(two.c);
  two.planned.plan = engine.plans().of(two.planned.problem);
  ASSERT_TRUE(two.planned.plan.uses_gpu()) << engine.facts().gpu_problem();
  const Outcome did = two.carry_out(engine, [&](Level3Device& device) {
    device.add(device.carry_out(two.planned));
    device.without_device([&] {
      std::thread([&] { EXPECT_TRUE(engine.run(two.product(of_other)).used_gpu); }).join();
    });
    device.add(device.carry_out(two.planned));
  });
  EXPECT_TRUE(did.used_gpu);
  EXPECT_EQ(did.products, 2);
  EXPECT_EQ(two.c, std::vector<float>(two.c.size(), ProductSteps::n));
  EXPECT_EQ(of_other, two.c);
}

TEST(StepsOfLevel3, AskForTheDeviceAgainAfterAStepForWhichItWasBusy) {
  Settings settings = forced_settings();
  settings.strategy = Strategy::automatic;
  settings.split.reset();
  settings.device = "0";  // a CPU device, which must be asked for
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  ProductSteps two;
  two.planned.problem = two.product(two.c);
  engine.plans().set_split(Share{8, 16});
  Plan& plan = two.planned.plan = engine.plans().of(two.planned.problem);
  ASSERT_TRUE(plan.uses_gpu());
  engine.plans().set_split({});
  engine.run(two.planned.problem, plan);  // so that nobody waits for a compiler
  plan.expected_seconds = 1000;
  plan.cpu_only_seconds = 2000;
  std::promise<void> begun, over;
  std::thread other([&] {
    two.carry_out(engine, [&](Level3Device&) {
      begun.set_value();
      over.get_future().wait();
    });
  });
  begun.get_future().wait();
  plan.expected_seconds = 1;
  plan.cpu_only_seconds = 2;
  const Outcome did = two.carry_out(engine, [&](Level3Device& device) {
    Outcome first = device.carry_out(two.planned);
    EXPECT_FALSE(first.used_gpu);
    EXPECT_EQ(first.plan.reason, Reason::gpu_busy);
    device.add(std::move(first));
    over.set_value();
    other.join();
    Outcome second = device.carry_out(two.planned);
    EXPECT_TRUE(second.used_gpu);
    device.add(std::move(second));
  });
  EXPECT_TRUE(did.used_gpu);
  EXPECT_FALSE(did.recovered);
  EXPECT_EQ(did.plan.strategy, Strategy::cpu) << "that of the first step";
}

INSTANTIATE_TEST_SUITE_P(Routines, Level3, ::testing::ValuesIn(all_routines),
                         [](const auto& routine) { return std::string(name(routine.param)); });

}  // namespace
}  // namespace duoblas::test

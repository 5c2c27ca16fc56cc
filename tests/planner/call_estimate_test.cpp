// What the cost model says of a call's time.
#include "planner/call_estimate.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

using test::paper_device;
using test::paper_point;
using test::paper_problem;

struct CallTimes {
  double cpu, gpu, hybrid;
};

CallTimes times_of(const GemmProblem& problem, const std::vector<TunedPoint>& points,
                   SharingMode sharing = SharingMode::host_pointer) {
  Profile profile;
  profile.points = points;
  const CostModel model(profile);
  const ModelGroup* group = model.group(problem.precision, problem.op_a, problem.op_b);
  const CallEstimate estimate(model, *group, profile, problem);
  const GpuConfig gpu_config{default_kernel(problem.precision, paper_device()), sharing};
  return {estimate.cpu_seconds(), estimate.gpu_seconds(gpu_config),
          estimate.balanced(gpu_config).seconds};
}

TunedPoint measured_2048() {
  return paper_point(Precision::s, 2048, 64, 120, 50);
}

TEST(CallEstimate, IsWhatWasMeasuredAtEveryTunedShape) {
  const std::vector<TunedPoint> points = {paper_point(Precision::s, 512, 1.1, 2.3, 0.7),
                                          paper_point(Precision::s, 1024, 8, 14, 7),
                                          measured_2048()};
  for (const TunedPoint& point : points) {
    const CallTimes times =
        times_of(paper_problem(Precision::s, point.m, point.n, point.k), points);
    EXPECT_NEAR(times.cpu, point.cpu_all_seconds, 1e-9);
    EXPECT_NEAR(times.gpu, point.gpu.seconds, 1e-9);
    EXPECT_NEAR(times.hybrid, point.hybrid.seconds, 1e-9);
  }
}

TEST(CallEstimate, UsesTheSidesOwnTimesWhereTheyWereMeasured) {
  // The GPU had been done for long: it can take more than at the tuned share of another shape.
  // Alone it is faster than its part of the split call, as it must be.
  const TunedPoint balanced = paper_point(Precision::s, 2048, 64, 40, 50);
  TunedPoint idle = balanced;
  idle.gpu_side_seconds = 0.025;
  idle.cpu_side_seconds = 0.0499;
  const auto share_at_1500 = [](const TunedPoint& point) {
    PlanMachine machine = test::paper_machine();
    Profile profile;
    profile.points = {point};
    machine.use(profile);
    return make_plan(paper_problem(Precision::s, 1500, 1500, 1500), machine, {Strategy::hybrid, {}})
        .share.fraction();
  };
  EXPECT_NEAR(share_at_1500(balanced), 9.0 / 16, 0.02);
  EXPECT_GT(share_at_1500(idle), 10.0 / 16);
}

TEST(CallEstimate, ChargesTheSaveOfASharedCThatIsRead) {
  GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  const CallTimes overwritten = times_of(problem, {measured_2048()});
  problem.beta = 1.0;
  const CallTimes updated = times_of(problem, {measured_2048()});
  EXPECT_GT(updated.hybrid, overwritten.hybrid);
  EXPECT_GT(updated.gpu - overwritten.gpu, updated.hybrid - overwritten.hybrid);
  EXPECT_DOUBLE_EQ(updated.cpu, overwritten.cpu);
}

TEST(CallEstimate, AddsToCAsUpdatesWereMeasured) {
  Profile profile;
  profile.points = {measured_2048()};
  profile.updates[precision_index(Precision::s)] = {1e6, 0.005, 0.004, 0.010, 0.0105};
  const CostModel model(profile);
  const auto times_with = [&](double beta, std::int64_t k) {
    GemmProblem problem = paper_problem(Precision::s, 2048, 2048, k);
    problem.beta = beta;
    const CallEstimate estimate(model, *model.group(Precision::s, Op::none, Op::none), profile,
                                problem);
    const GpuConfig gpu_config{default_kernel(Precision::s, paper_device()),
                               SharingMode::host_pointer};
    return CallTimes{estimate.cpu_seconds(), estimate.gpu_seconds(gpu_config), 0};
  };
  // Of each of the 16.8 million bytes of C the CPU is 1 ns faster, the GPU takes 0.5 ns more.
  constexpr double c_bytes = 4.0 * 2048 * 2048;
  const CallTimes writing = times_with(0, 2048), adding = times_with(-1, 2048);
  EXPECT_NEAR(adding.cpu, writing.cpu - 1e-9 * c_bytes, 1e-9);
  EXPECT_NEAR(adding.gpu, writing.gpu + 0.5e-9 * c_bytes, 1e-9);
  // A promise of a call for nothing is none.
  EXPECT_GE(times_with(-1, 16).cpu, 0.5 * times_with(0, 16).cpu);
}

TEST(CallEstimate, EntersWithRowsThatBothSidesMayTakeLongFor) {
  Profile profile;
  profile.points = {paper_point(Precision::s, 512, 1, 2, 0.8), measured_2048()};
  const CostModel model(profile);
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  const CallEstimate estimate(model, *model.group(Precision::s, Op::none, Op::none), profile,
                              problem);
  const GpuConfig gpu_config{default_kernel(Precision::s, paper_device()),
                             SharingMode::host_pointer};
  constexpr double worst = 4;
  std::int64_t before = 1025;
  for (const double allowance : {1.0, 0.05, 0.02}) {
    const EntryRows entry = estimate.entry(gpu_config, worst, allowance);
    ASSERT_GT(entry.rows, 0);
    EXPECT_LT(entry.rows, before) << "fewer rows for less";
    before = entry.rows;
    const GemmProblem first = paper_problem(Precision::s, entry.rows, 2048, 2048);
    EXPECT_TRUE(entry.at.partition.is_split(first));
    EXPECT_LE(worst * entry.at.seconds,
              64e-3 * static_cast<double>(entry.rows) / 2048 + allowance + 1e-3);
    EXPECT_GT(entry.seconds, entry.at.seconds) << "the CPU does the others afterwards";
    EXPECT_LT(entry.forecast.best_seconds, 35e-3) << "the CPU alone would have done these rows";
    EXPECT_NEAR(entry.forecast.modelled[place_of(Timed::cpu_all)], 64e-3, 1e-9)
        << "the CPU alone would have done all of it";
  }
  EXPECT_EQ(estimate.entry(gpu_config, worst, 0).rows, 0);
}

TEST(CallEstimate, BeginsCarefullyWithColumnsOfAFlatC) {
  Profile profile;
  profile.points = {paper_point(Precision::s, 512, 1, 2, 0.8), measured_2048()};
  const CostModel model(profile);
  const GpuConfig gpu_config{default_kernel(Precision::s, paper_device()),
                             SharingMode::host_pointer};
  const auto part_of_gpu = [&](const GemmProblem& problem, double allowance, Axis axis) {
    constexpr double worst = 4;
    const CallEstimate estimate(model, *model.group(Precision::s, Op::none, Op::none), profile,
                                problem);
    const SplitCall call = estimate.careful(gpu_config, worst, allowance);
    EXPECT_TRUE(call.partition.is_split(problem));
    EXPECT_EQ(call.partition.axis, axis);
    return call.share.fraction();
  };
  const GemmProblem flat =
      paper_problem(Precision::s, row_tile(gpu_config.kernel), 64 * 2048, 2048);
  EXPECT_LT(part_of_gpu(flat, 5e-3, Axis::columns), part_of_gpu(flat, 1, Axis::columns))
      << "fewer columns for less";
  EXPECT_GT(part_of_gpu(paper_problem(Precision::s, 2048, 2048, 2048), 1, Axis::rows), 0);
}

TEST(CallEstimate, OfTheFirstRowsSaysWhatTheyTakeTheCpu) {
  const GemmProblem problem = paper_problem(Precision::s, 2048, 2048, 2048);
  Plan plan;
  plan.entry_rows = 512;
  plan.forecast.emplace();
  plan.forecast->modelled[place_of(Timed::cpu_all)] = 64e-3;
  const Plan first = plan.of_first_part(problem);
  EXPECT_EQ(first.entry_rows, 0);
  EXPECT_DOUBLE_EQ(first.forecast->modelled[place_of(Timed::cpu_all)], 16e-3);
  EXPECT_TRUE(first.parts(plan.parts(problem).gpu).cpu.empty());
}

TEST(CallEstimate, ChargesCopiesThatDoNotShrinkWithTheWork) {
  TunedPoint point = paper_point(Precision::s, 2048, 64, 4, 3.5);
  const GemmProblem thin = paper_problem(Precision::s, 2048, 2048, 16);
  const double shared = times_of(thin, {point}).gpu;
  // A driver that shared memory while it was tuned, and does not now.
  EXPECT_GT(times_of(thin, {point}, SharingMode::staged).gpu, shared);
  point.gpu.sharing = point.hybrid.sharing = SharingMode::staged;
  EXPECT_GT(times_of(thin, {point}, SharingMode::staged).gpu, shared);
}

TEST(CallEstimate, IsInfiniteForWhatWasNotMeasured) {
  TunedPoint point = measured_2048();
  point.gpu.seconds = 0;
  const CallTimes times = times_of(paper_problem(Precision::s, 1900, 2048, 2048), {point});
  EXPECT_TRUE(std::isinf(times.gpu));
  EXPECT_FALSE(std::isinf(times.hybrid));
  EXPECT_FALSE(std::isinf(times.cpu));
}

TEST(CallEstimate, LetsPointsOfTheSameOpsSpeakAlone) {
  TunedPoint slow = measured_2048();
  slow.op_b = Op::transpose;
  slow.cpu_all_seconds = 1;
  const GemmProblem plain = paper_problem(Precision::s, 2048, 2048, 2000);
  EXPECT_NEAR(times_of(plain, {slow, measured_2048()}).cpu, times_of(plain, {measured_2048()}).cpu,
              1e-12);
}

TEST(CallEstimate, ScalesTimesToTheWorkOfAnotherType) {
  Profile profile;
  profile.points = {measured_2048()};
  const CostModel model(profile);
  const GemmProblem doubles = paper_problem(Precision::d, 2048, 2048, 2048);
  const CallEstimate estimate(model, *model.group(Precision::s, Op::none, Op::none), profile,
                              doubles);
  EXPECT_EQ(model.group(Precision::d, Op::none, Op::none), nullptr);
  EXPECT_NEAR(estimate.cpu_seconds(), 2 * 64e-3, 0.1e-3);
}

// A launch takes as long for every type; a complex element has twice the bytes and four times the
// work.
TEST(CallEstimate, ScalesEachPartOfATimeToAnotherType) {
  TimeModel model;
  model.known = true;
  const WorkSizes sizes{2, 3, 5, 2, 3, false, 7};
  const auto scaled = [&](std::size_t term) {
    model.coefficients = {};
    model.coefficients[term] = 1;
    return model.of_type({4, 2}).seconds(sizes) / model.seconds(sizes);
  };
  EXPECT_DOUBLE_EQ(scaled(0), 1);
  for (const std::size_t work : {1, 5}) EXPECT_DOUBLE_EQ(scaled(work), 4);
  for (const std::size_t pass : {2, 3, 4, 6}) EXPECT_DOUBLE_EQ(scaled(pass), 2);
}

}  // namespace
}  // namespace duoblas

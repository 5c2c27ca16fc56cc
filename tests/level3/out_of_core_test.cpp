// Level-3 calls of which the device does not hold all operands at once.
#include "fronts.hpp"
#include "support/covering_array.hpp"
#include "support/small_tiles.hpp"
#include "support/staged_profile.hpp"

namespace duoblas::test {
namespace {

constexpr Op ops[] = {Op::none, Op::transpose, Op::conj_transpose};

Settings little_memory(std::size_t bytes) {
  Settings settings = forced_settings();
  settings.device_memory = bytes;
  return settings;
}

/// A GPU's default kernels have large tiles, of which so little memory holds none with its operands
/// packed.
void use_small_tiles(Engine& engine, SharingMode sharing) {
  const DeviceLimits& device = engine.machine().device;
  Profile profile = staged_profile(engine);
  for (TunedPoint& point : profile.points) {
    point.hybrid.kernel = kernel_of_small_tiles(point.precision, device);
    point.hybrid.sharing = sharing;
  }
  engine.facts().adopt(profile);
}

int jobs_of(const Decision& decision) {
  int jobs = 0;
  for (const CallStep& step : decision.steps) jobs += std::holds_alternative<DeviceCall>(step);
  return jobs;
}

class OutOfCore : public ::testing::TestWithParam<Routine> {};

// Copied and where the caller has them, cut by the order, by the free extent, and by both.
TEST_P(OutOfCore, IsRightInSeveralJobsOfTheDevice) {
  constexpr std::size_t bytes = std::size_t{160} << 10;
  Engine shared(little_memory(bytes)), copied(little_memory(bytes));
  ASSERT_NE(shared.gpu(), nullptr) << shared.facts().gpu_problem();
  ASSERT_NE(copied.gpu(), nullptr) << copied.facts().gpu_problem();
  use_small_tiles(shared, shared.gpu()->best_sharing());
  use_small_tiles(copied, SharingMode::staged);
  std::uint64_t seed = 1;
  enum { layout, side, uplo, op, diag, type, shape, beta, sharing, split };
  for (const auto& row : covering_array({2, 2, 2, 3, 2, 4, 3, 2, 2, 2}, 7)) {
    Level3Factors f{GetParam()};
    f.layout = row[layout] == 0 ? Layout::row_major : Layout::column_major;
    f.side = row[side] == 0 ? Side::left : Side::right;
    f.uplo = row[uplo] == 0 ? Uplo::upper : Uplo::lower;
    f.op = ops[row[op]];
    f.diag = row[diag] == 0 ? Diag::non_unit : Diag::unit;
    constexpr std::int64_t orders[] = {256, 70, 128}, frees[] = {40, 500, 150};
    f.order = orders[row[shape]];
    f.free = frees[row[shape]];
    f.pad = 3;
    f.alpha = -0.7;
    f.beta = row[beta] == 0 ? 0 : 1.5;
    f.seed = seed += 10;
    Engine& engine = row[sharing] == 0 ? shared : copied;
    engine.plans().set_split(Share{row[split] == 0 ? 16 : 11, 16});
    for_all_types([&](auto zero) {
      using T = decltype(zero);
      if (precision_index(precision_of<T>) != static_cast<std::size_t>(row[type])) return;
      if (!exists<T>(f)) return;
      SCOPED_TRACE(row[sharing] == 0 ? "shared" : "copied");
      expect_right<T>(f, [&](const CallerLevel3& call) {
        const Level3Problem problem = to_row_major(call);
        const Decision decision = decide(engine, problem);
        EXPECT_GT(jobs_of(decision), 0);
        const Outcome did = carry_out(engine, problem, decision);
        EXPECT_EQ(static_cast<std::size_t>(did.products), decision.steps.size());
        EXPECT_TRUE(did.used_gpu);
        EXPECT_FALSE(did.recovered);
      });
    });
  }
}

TEST_P(OutOfCore, IsOneLineAndCheckedInEachPart) {
  Settings settings = little_memory(std::size_t{256} << 10);
  settings.verbose = 2;
  settings.check = CheckMode::always;
  Engine engine(settings);
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  use_small_tiles(engine, engine.gpu()->best_sharing());
  Level3Factors f{GetParam()};
  f.order = 200;
  f.free = 130;
  expect_right<std::complex<double>>(f, [&](const CallerLevel3& call) {
    testing::internal::CaptureStderr();
    const Outcome did = run_level3(engine, to_row_major(call));
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_GT(did.products, 1);
    EXPECT_GT(did.job_times.whole, 0);
    EXPECT_EQ(engine.checks().counts().checked, static_cast<std::uint64_t>(did.products));
    const std::string start = std::string("duoblas: z") + name(GetParam());
    const auto at = said.find(start);
    ASSERT_NE(at, std::string::npos) << said;
    EXPECT_EQ(said.find(start, at + 1), std::string::npos) << said;
    EXPECT_NE(said.find("lines in the first job, of " + std::to_string(did.products) +
                        " steps that the device has memory for"),
              std::string::npos)
        << said;
  });
  EXPECT_EQ(engine.checks().counts().suspected, 0u);
}

// As before there were such jobs.
TEST_P(OutOfCore, GoesByHalvesWhereTheDeviceHoldsNoPartOfIt) {
  Engine engine(little_memory(1024));
  Level3Factors f{GetParam()};
  f.order = 150;
  f.free = 60;
  expect_right<std::complex<float>>(f, [&](const CallerLevel3& call) {
    const Level3Problem problem = to_row_major(call);
    const Decision decision = decide(engine, problem);
    EXPECT_EQ(jobs_of(decision), 0);
    EXPECT_GT(decision.steps.size(), 1u);
    carry_out(engine, problem, decision);
  });
}

INSTANTIATE_TEST_SUITE_P(Routines, OutOfCore, ::testing::ValuesIn(all_routines),
                         [](const auto& routine) { return std::string(name(routine.param)); });

}  // namespace
}  // namespace duoblas::test

// Allocations of a level-3 call fail, one by one: its result is right, or there is an error and
// nothing was written. Also where an earlier product of the call has been done.
#include <new>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "engine/failing_allocations.hpp"
#include "level3/blocked_level3.hpp"
#include "planner/way_chooser.hpp"
#include "support/level3_case.hpp"
#include "support/staged_profile.hpp"
#include "support/turns.hpp"

namespace duoblas::test {
namespace {

using T = double;

enum class Way { halves, job_in_place, copied_job, jobs_in_pieces };

struct ShortLevel3 {
  Routine routine = Routine::symm;
  Way way = Way::halves;
  bool from_then_on = false;
};

std::string name_of(const ShortLevel3& given) {
  constexpr const char* ways[] = {"by_halves", "in_place", "copied", "in_pieces"};
  return std::string(name(given.routine)) + "_" + ways[static_cast<int>(given.way)] +
         (given.from_then_on ? "_for_long" : "_once");
}

class ShortMemoryInLevel3 : public testing::TestWithParam<std::tuple<Routine, Way, bool>> {
 protected:
  const ShortLevel3 given{std::get<0>(GetParam()), std::get<1>(GetParam()),
                          std::get<2>(GetParam())};

  Settings settings() const {
    Settings settings = Settings::from_environment();
    settings.strategy = Strategy::hybrid;
    settings.split = Share{8, 16};
    settings.check = CheckMode::always;
    settings.profile_dir.clear();
    settings.cache_dir.clear();
    if (given.way == Way::jobs_in_pieces) settings.device_memory = std::size_t{160} << 10;
    return settings;
  }
  Level3Mode mode() const {
    return given.way == Way::halves ? Level3Mode::halves : Level3Mode::job;
  }
  Level3Factors factors() const {
    Level3Factors f{given.routine};
    f.order = given.way == Way::jobs_in_pieces ? 128 : 60;
    f.free = given.way == Way::jobs_in_pieces ? 150 : 31;
    f.pad = 3;
    f.alpha = 0.75;
    f.beta = -0.5;
    return f;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Calls, ShortMemoryInLevel3,
    testing::Combine(
        testing::Values(Routine::symm, Routine::syrk, Routine::syr2k, Routine::trmm, Routine::trsm),
        testing::Values(Way::halves, Way::job_in_place, Way::copied_job, Way::jobs_in_pieces),
        testing::Bool()),
    [](const auto& info) {
      return name_of({std::get<0>(info.param), std::get<1>(info.param), std::get<2>(info.param)});
    });

TEST_P(ShortMemoryInLevel3, LeavesTheResultRightOrUnwritten) {
  Engine engine(settings());
  ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
  if (given.way == Way::copied_job || given.way == Way::jobs_in_pieces)
    engine.facts().adopt(staged_profile(engine));
  const Level3Factors f = factors();
  Level3Matrices<T> matrices(f);
  const TestMatrix<T> before = matrices.c;
  const CallerLevel3 call = matrices.call(f);
  const Level3Problem p = to_row_major(call);
  const Level3Reference<T> reference(call);
  const auto is_as_it_was = [&] {
    for (std::int64_t line = 0; line < before.lines(); ++line)
      for (std::int64_t i = 0; i < before.length(); ++i)
        if (!same_bits(before.at(line, i), matrices.c.at(line, i))) return false;
    return true;
  };
  const auto run = [&] { return run_level3(engine, p, cpu_blas_limits, mode()); };
  // With all that calls keep.
  for (int round = 0; round < 3; ++round) {
    matrices.c = before;
    ASSERT_TRUE(run().used_gpu);
    ASSERT_LT(reference.scaled_error(), 1.0);
  }
  int carried_on = 0;
  bool felt = true;
  // A call in pieces has hundreds of allocations: runs of the suite take turns at them.
  const bool takes_turns = is_usual_run() && given.way == Way::jobs_in_pieces;
  const long step = takes_turns ? 4 : 1, first = takes_turns ? 1 + turn_of_run() % 4 : 1;
  for (long number = first; felt && !HasFailure(); number += step) {
    ASSERT_LT(number, 10000) << "no end of allocations";
    SCOPED_TRACE(number);
    matrices.c = before;
    bool threw = false;
    {
      const ShortMemory memory(number, given.from_then_on);
      try {
        run();
      } catch (const std::bad_alloc&) {
        threw = true;
      }
      felt = memory.felt();
    }
    carried_on += felt && !threw;
    if (threw)
      EXPECT_TRUE(is_as_it_was());
    else
      EXPECT_LT(reference.scaled_error(), 1.0);
    EXPECT_TRUE(matrices.c.guards_untouched());
  }
  EXPECT_GT(carried_on, 3);
}

// What a call took is noted once its result is there.
TEST(ShortMemoryOfWays, IsNoFailureOfTheCallThatTheyLearnFrom) {
  Level3Problem syrk{Routine::syrk};
  syrk.m = syrk.n = syrk.k = 100;
  LapackProblem lu;
  lu.m = lu.n = 100;
  WayChooser ways;
  const ShortMemory memory(1, true);
  ways.observe(class_of(syrk), duoblas::Way::plain, 1.0);
  ways.observe_sides(class_of(syrk), 0.5, 1.0, 1.0);
  ways.observe(class_of(lu), duoblas::Way::plain, 1.0);
  EXPECT_TRUE(memory.felt());
  EXPECT_FALSE(ways.seen_seconds(class_of(syrk), duoblas::Way::plain));
}

}  // namespace
}  // namespace duoblas::test

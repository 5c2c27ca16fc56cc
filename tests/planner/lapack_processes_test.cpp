// Programs of one or few LAPACK calls, run again and again, played against WayChooser.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "planner/way_chooser.hpp"

namespace duoblas::test {
namespace {

/// Seconds of a call, after the first one of the process.
struct ProcessTimes {
  double ours = 0, programs = 0;
};
/// How many times longer the first call of each way in a process takes.
constexpr ProcessTimes start{1.4, 1.1};
constexpr ProcessTimes estimate{0.45, 1};

/// One program that runs again and again, and its cache folder.
class Processes {
 public:
  explicit Processes(int calls) : calls_(calls) {}

  /// Seconds of so many processes, over those with the better side alone.
  double excess(int processes, const ProcessTimes& now) {
    const auto alone = [&](double seconds, double first) {
      return processes * (calls_ - 1 + first) * seconds;
    };
    double all = 0;
    for (int i = 0; i < processes; ++i) all += process(now);
    return all / std::min(alone(now.ours, start.ours), alone(now.programs, start.programs)) - 1;
  }

  bool is_shared = false;   ///< another process uses the device, so nothing is stored
  bool dies_early = false;  ///< before it has told what its calls showed

 private:
  double process(const ProcessTimes& now) {
    WayChooser chooser;
    if (!kept_.empty()) {
      EXPECT_TRUE(chooser.restore(kept_));
    }
    const auto store = [&] {
      if (is_shared) return false;
      kept_ = chooser.kept();
      return true;
    };
    chooser.tell(
        [&] {
          if (!dies_early) store();
        },
        store);
    LapackProblem p;
    p.routine = LapackRoutine::getrf;
    p.m = p.n = 4096;
    double all = 0;
    bool has_begun[2] = {};
    for (int i = 0; i < calls_; ++i) {
      const Way who = chooser.choose(class_of(p), {{Way::plain, estimate.programs},
                                                   {Way::job, estimate.ours, 1 / least_of_plain}});
      const bool is_ours = who == Way::job;
      double seconds = is_ours ? now.ours : now.programs;
      if (!has_begun[is_ours]) seconds *= is_ours ? start.ours : start.programs;
      has_begun[is_ours] = true;
      chooser.observe(class_of(p), who, seconds);
      all += seconds;
    }
    return all;
  }

  int calls_;
  std::vector<unsigned char> kept_;
};

class ProgramsOfFewLapackCalls : public testing::TestWithParam<int> {};

// Two of a hundred are for tries; each try of a program of one call is one process.
constexpr double most = 0.03;

TEST_P(ProgramsOfFewLapackCalls, FindOutThatTheDeviceIsFastAgain) {
  Processes program(GetParam());
  program.excess(6, {5, 1});  // beside another program, which uses the device
  program.excess(1000, {0.5, 1});
  EXPECT_LT(program.excess(500, {0.5, 1}), most);
}

TEST_P(ProgramsOfFewLapackCalls, FindOutThatTheCoresAreFreeAgain) {
  Processes program(GetParam());
  program.excess(8, {0.6, 5});
  program.excess(1000, {0.6, 0.2});
  EXPECT_LT(program.excess(500, {0.6, 0.2}), most);
}

TEST_P(ProgramsOfFewLapackCalls, FindOutThatTheDeviceIsSlowerThanExpected) {
  Processes program(GetParam());
  program.excess(12, {3, 1});
  EXPECT_LT(program.excess(500, {3, 1}), most);
}

TEST_P(ProgramsOfFewLapackCalls, FindOutThatTheDeviceHasBecomeSlow) {
  Processes program(GetParam());
  program.excess(200, {0.3, 1});
  program.excess(100, {4, 1});
  EXPECT_LT(program.excess(500, {4, 1}), most);
}

TEST_P(ProgramsOfFewLapackCalls, PayForTheirTriesWhereTheyKeepNothingOfThem) {
  Processes program(GetParam());
  program.excess(12, {5, 1});
  program.dies_early = true;
  EXPECT_LT(program.excess(2000, {5, 1}), most);
  program.is_shared = true;
  EXPECT_LT(program.excess(2000, {5, 1}), most);
}

INSTANTIATE_TEST_SUITE_P(Calls, ProgramsOfFewLapackCalls, testing::Values(1, 2, 3, 6, 20));

}  // namespace
}  // namespace duoblas::test

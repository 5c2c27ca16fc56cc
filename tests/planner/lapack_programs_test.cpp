// Programs that call one routine of LAPACK, played against WayChooser: what they take over the
// better side alone.
#include <gtest/gtest.h>

#include <algorithm>

#include "planner/way_chooser.hpp"

namespace duoblas::test {
namespace {

/// Seconds of a call. The first one of each side, and one after a change of sides, take longer.
struct Sides {
  double ours = 0, programs = 0;

  static constexpr double first_of_ours = 3, first_of_programs = 1.2, after_a_change = 1.3;
};

/// The estimates of a call that begins as ours, in units of the program's.
constexpr double estimate_of_ours = 0.45, estimate_of_programs = 1;

/// The part by which a program of so many calls takes longer than with the better side alone.
double excess(int calls, const Sides& sides) {
  LapackProblem p;
  p.routine = LapackRoutine::gesv;
  p.m = p.n = 4096;
  p.right_sides = 1;
  WayChooser chooser;
  Way last = Way::job;
  bool is_first_of_ours = true, is_first_of_programs = true;
  double all = 0;
  for (int i = 0; i < calls; ++i) {
    const Way who = chooser.choose(class_of(p), {{Way::plain, estimate_of_programs},
                                                 {Way::job, estimate_of_ours, 1 / least_of_plain}});
    const bool is_ours = who == Way::job;
    bool& is_first = is_ours ? is_first_of_ours : is_first_of_programs;
    double seconds = is_ours ? sides.ours : sides.programs;
    if (is_first) seconds *= is_ours ? Sides::first_of_ours : Sides::first_of_programs;
    if (who != last) seconds *= Sides::after_a_change;
    is_first = false;
    last = who;
    chooser.observe(class_of(p), who, seconds);
    all += seconds;
  }
  const double of_ours = (calls - 1 + Sides::first_of_ours) * sides.ours;
  const double of_program = (calls - 1 + Sides::first_of_programs) * sides.programs;
  return all / std::min(of_ours, of_program) - 1;
}

struct Excess {
  double mean = 0, worst = 0;
};

template <std::size_t m, std::size_t n>
Excess excess_of_all(int calls, const double (&ours)[m], const double (&programs)[n]) {
  Excess all;
  for (const double x : ours)
    for (const double y : programs) {
      const double one = excess(calls, {x, y});
      all.mean += one / static_cast<double>(m * n);
      all.worst = std::max(all.worst, one);
    }
  return all;
}

constexpr double ours_over_half[] = {0.52, 0.55, 0.6, 0.7, 0.8};

TEST(ProgramsOfLapackCalls, OfFewCallsPayForFewTriesWhereEstimatesAreAboutRight) {
  constexpr double programs[] = {0.85, 1, 1.25, 1.5};
  EXPECT_LT(excess_of_all(6, ours_over_half, programs).mean, 0.15);
  EXPECT_LT(excess_of_all(10, ours_over_half, programs).mean, 0.17);
  EXPECT_LT(excess_of_all(100, ours_over_half, programs).mean, 0.05);
  EXPECT_LT(excess_of_all(1000, ours_over_half, programs).mean, 0.02);
}

TEST(ProgramsOfLapackCalls, FindOutInTimeThatTheProgramsLibraryIsFaster) {
  constexpr double ours[] = {0.52, 0.55, 0.6, 0.7, 0.8, 0.9, 1.1, 1.5};
  constexpr double programs[] = {0.35, 0.5};
  EXPECT_LT(excess_of_all(100, ours, programs).mean, 0.16);
  EXPECT_LT(excess_of_all(100, ours, programs).worst, 0.3);
  EXPECT_LT(excess_of_all(1000, ours, programs).worst, 0.06);
}

}  // namespace
}  // namespace duoblas::test

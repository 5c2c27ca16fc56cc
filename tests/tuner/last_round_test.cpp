// What makes a profile doubtful, and which cases come again.
#include "tuner/last_round.hpp"

#include <gtest/gtest.h>

#include "support/tuned_machine.hpp"
#include "tuner/tuning_cases.hpp"

namespace duoblas {
namespace {

Profile of_shapes(std::vector<std::pair<Precision, Shape>> shapes) {
  Profile profile;
  for (const auto& [precision, shape] : shapes) {
    TunedPoint point;
    point.precision = precision;
    point.m = shape.m;
    point.n = shape.n;
    point.k = shape.k;
    profile.points.push_back(point);
  }
  return profile;
}

TEST(MainPoints, AreTheFirstAndTheLargestOfEachType) {
  const Profile profile = of_shapes({{Precision::s, {512, 512, 512}},
                                     {Precision::d, {512, 512, 512}},
                                     {Precision::s, {1024, 1024, 1024}},
                                     {Precision::s, {64, 64, 64}}});
  EXPECT_EQ(main_points(profile), (std::vector<std::size_t>{0, 2, 1}));
  EXPECT_TRUE(main_points({}).empty());
}

TEST(NeighbouringParts, LeaveBothSidesSome) {
  EXPECT_EQ(neighbouring_parts({30, 64}), (std::vector<int>{26, 34}));
  EXPECT_EQ(neighbouring_parts({16, 16}), (std::vector<int>{15}));
  EXPECT_EQ(neighbouring_parts({1, 8}), (std::vector<int>{2}));
}

TEST(Doubts, NameWhatWasSeen) {
  EXPECT_EQ(doubt_text({}, 2), "");
  EXPECT_EQ(doubt_text({.others = 0.52, .processors = 2, .beside = 1, .not_held = {}}, 2),
            "other programs had up to 0.5 of 2 processors while 1 of 2 shapes were tuned");
  EXPECT_EQ(doubt_text({.others = 0.7, .processors = 2, .beside = 0, .not_held = {"a", "b"}}, 2),
            "the plan of a lost to its neighbours until the time was up; "
            "the plan of b lost to its neighbours until the time was up");
  const std::string a_long_one(200, 'x');
  EXPECT_LT(
      doubt_text({.others = 0, .processors = 2, .beside = 0, .not_held = {a_long_one, a_long_one}},
                 2)
          .size(),
      Profile::longest_note);
}

TEST(Cases, TunedBesideOtherWorkComeAgainWhenItHasEnded) {
  TuneRequest request;
  request.precisions = {Precision::s};
  request.shapes = {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
  CaseQueue queue(tuning_cases_of(request));
  EXPECT_FALSE(queue.is_past_anchors());
  const TuneCase first = queue.take();
  EXPECT_TRUE(queue.is_past_anchors());
  const double part = queue.next_part();
  EXPECT_GT(part, 0);
  EXPECT_LT(part, 1);
  queue.was_beside(first);
  queue.was_beside(queue.take());
  queue.take();
  EXPECT_TRUE(queue.is_empty());
  ASSERT_EQ(queue.beside().size(), 2u);
  queue.bring_back();
  EXPECT_TRUE(queue.beside().empty());
  EXPECT_EQ(tuning_case_text(queue.take()), "sgemm nn 1 x 1 x 1");
  EXPECT_EQ(queue.next_part(), 1);
  queue.was_beside(first);
  EXPECT_TRUE(queue.beside().empty()) << "it has come again already";
  EXPECT_EQ(tuning_case_text(queue.take()), "sgemm nn 2 x 2 x 2");
  EXPECT_TRUE(queue.is_empty());
}

}  // namespace
}  // namespace duoblas

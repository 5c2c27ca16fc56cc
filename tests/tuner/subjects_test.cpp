#include "tuner/subjects.hpp"

#include <algorithm>
#include <cstddef>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(Subjects, AreTheAnchorsThenWhatEveryOpPairNeedsThenTheThinShapes) {
  TuneRequest request;
  request.ops = {{Op::none, Op::none}, {Op::transpose, Op::none}};
  const auto subjects = subjects_of(request);
  ASSERT_EQ(subjects.size(), 2 * 2 * request.shapes.size());
  EXPECT_TRUE(subjects[0].anchor && subjects[1].anchor);
  EXPECT_NE(subjects[0].kernel.precision, subjects[1].kernel.precision);
  EXPECT_EQ(std::ranges::count_if(subjects, [](const TuneSubject& s) { return s.anchor; }), 2);
  const auto thin = request.shapes.begin() + 8;
  const std::size_t early = 2 * 2 * 8;
  for (std::size_t i = 0; i < subjects.size(); ++i)
    EXPECT_EQ(std::find(request.shapes.begin(), thin, subjects[i].shape) != thin, i < early)
        << subject_text(subjects[i]);
}

}  // namespace
}  // namespace duoblas

// The order of the tuning cases.
#include "tuner/tuning_cases.hpp"

#include <algorithm>
#include <cstddef>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(TuningCases, AreTheAnchorsThenWhatEveryOpPairNeedsThenTheThinShapes) {
  TuneRequest request;
  request.ops = {{Op::none, Op::none}, {Op::transpose, Op::none}};
  const auto tuning_cases = tuning_cases_of(request);
  ASSERT_EQ(tuning_cases.size(), 2 * 2 * request.shapes.size());
  EXPECT_TRUE(tuning_cases[0].anchor && tuning_cases[1].anchor);
  EXPECT_NE(tuning_cases[0].kernel.precision, tuning_cases[1].kernel.precision);
  EXPECT_EQ(std::ranges::count_if(tuning_cases, [](const TuneCase& s) { return s.anchor; }), 2);
  const auto thin = request.shapes.begin() + 8;
  const std::size_t early = 2 * 2 * 8;
  for (std::size_t i = 0; i < tuning_cases.size(); ++i)
    EXPECT_EQ(std::find(request.shapes.begin(), thin, tuning_cases[i].shape) != thin, i < early)
        << tuning_case_text(tuning_cases[i]);
}

}  // namespace
}  // namespace duoblas

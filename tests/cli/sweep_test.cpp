// The shapes of `--sweep`.
#include "cli/bench/sweep.hpp"

#include <gtest/gtest.h>

#include "cli/arguments.hpp"

namespace duoblas::cli {
namespace {

std::vector<std::int64_t> m_of(const std::string& sweep) {
  std::vector<std::int64_t> extents;
  for (const Shape& shape : shapes_of_sweep(sweep)) extents.push_back(shape.m);
  return extents;
}

std::string refusal(const std::string& sweep) {
  try {
    shapes_of_sweep(sweep);
  } catch (const UsageError& error) {
    return error.what();
  }
  return {};
}

TEST(Sweep, GoesByFactorsAndBySteps) {
  EXPECT_EQ(m_of("m=256:8192:*2"), (std::vector<std::int64_t>{256, 512, 1024, 2048, 4096, 8192}));
  EXPECT_EQ(m_of("m=512:1100:+200"), (std::vector<std::int64_t>{512, 712, 912}));
  EXPECT_EQ(m_of("m=100:350:*1.5"), (std::vector<std::int64_t>{100, 150, 225, 338}));
  EXPECT_EQ(m_of("m=7:7:*2"), (std::vector<std::int64_t>{7}));
}

TEST(Sweep, HasEachShapeOnceWhereAFactorRoundsToTheSame) {
  EXPECT_EQ(m_of("m=1:4:*1.2"), (std::vector<std::int64_t>{1, 2, 3, 4}));
}

TEST(Sweep, ChangesTheExtentsThatItNamesTogether) {
  EXPECT_EQ(shapes_of_sweep("mnk=64:128:*2"), (std::vector<Shape>{{64, 64, 64}, {128, 128, 128}}));
  EXPECT_EQ(shapes_of_sweep("nm=64:128:*2,k=7"), (std::vector<Shape>{{64, 64, 7}, {128, 128, 7}}));
  EXPECT_EQ(shapes_of_sweep("n=3,k=8:16:+8"), (std::vector<Shape>{{1024, 3, 8}, {1024, 3, 16}}));
}

TEST(Sweep, ThatIsNotUnderstoodIsToldTheReasonAndTheForm) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "range"},
      {"m", "EXTENTS="},
      {"=1:2:*2", "EXTENTS="},
      {"m=5", "no range"},
      {"q=1:2:*2", "m, n and k"},
      {"mm=1:2:*2", "twice"},
      {"m=1:2:*2,m=3", "twice"},
      {"m=1:2:*2,n=1:2:*2", "--sweep twice"},
      {"m=1:2", "FIRST:LAST:STEP"},
      {"m=1:2:3:*4", "FIRST:LAST:STEP"},
      {"m=1:2:2", "neither * nor +"},
      {"m=1:2:", "neither * nor +"},
      {"m=9:3:*2", "larger than the last"},
      {"m=0:8:*2", "positive"},
      {"m=-8:8:+2", "positive"},
      {"m=1:8:+0", "positive"},
      {"m=1:1x:+1", "positive"},
      {"m=1:99999999999999999999:*2", "positive"},
      {"m=1:8:*1", "1.001 or more"},
      {"m=1:8:*0.5", "1.001 or more"},
      {"m=1:8:*nan", "1.001 or more"},
      {"m=1:8:*inf", "1.001 or more"},
      {"m=1:1000000:+1", "1000 shapes"},
      {"m=1:1000000000000:*1.0000001", "1.001 or more"}};
  for (const auto& [sweep, reason] : bad) {
    const std::string message = refusal(sweep);
    EXPECT_NE(message.find(reason), std::string::npos) << sweep << ": " << message;
    EXPECT_NE(message.find("EXTENTS=FIRST:LAST:*FACTOR"), std::string::npos) << sweep;
  }
}

}  // namespace
}  // namespace duoblas::cli

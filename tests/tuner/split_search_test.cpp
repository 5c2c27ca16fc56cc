// The split search on curves that are known, with and without noise; no device.
#include "tuner/split_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

// Both sides at once, from the time that each needs for the whole: the longer one is waited for.
struct SyntheticCall {
  double gpu = 1;
  double cpu = 1;
  double launch = 0;
  int parts = 16;

  double seconds(int gpu_parts) const {
    const double share = static_cast<double>(gpu_parts) / parts;
    return std::max(gpu * share + launch, cpu * (1 - share));
  }
  int best() const {
    int best = 1;
    for (int p = 2; p <= parts; ++p)
      if (seconds(p) < seconds(best)) best = p;
    return best;
  }
  SplitCost exact() const {
    return [call = *this](const std::vector<int>& gpu_parts) {
      std::vector<double> all;
      for (const int p : gpu_parts) all.push_back(call.seconds(p));
      return all;
    };
  }
};

TEST(SplitSearch, FindsTheValleyFromEveryStart) {
  for (const double gpu : {0.05, 0.3, 0.9, 1.0, 1.7, 6.0})
    for (int start = 1; start <= 16; ++start)
      for (const int step : {1, 2, 4}) {
        const SyntheticCall call{gpu, 1.0, 0.01};
        const SplitFound found = search_split({1, 16}, start, step, call.exact());
        EXPECT_DOUBLE_EQ(found.seconds, call.seconds(call.best()))
            << "gpu " << gpu << " from " << start << " by " << step << ": " << found.gpu_parts;
      }
}

TEST(SplitSearch, NeedsFewMeasurementsFromAGoodGuess) {
  for (const double gpu : {0.4, 0.8, 1.3, 2.5}) {
    const SyntheticCall call{gpu, 1.0};
    // Both sides would take equally long, at their rates alone.
    const auto guess = static_cast<int>(std::lround(16 / (1 + gpu)));
    const SplitFound found = search_split({1, 16}, guess, 2, call.exact());
    EXPECT_DOUBLE_EQ(found.seconds, call.seconds(call.best()));
    EXPECT_LE(found.evaluations, 7) << gpu;
  }
}

TEST(SplitSearch, EndsNearTheValleyUnderNoiseAndDrift) {
  const SyntheticCall call{0.8, 1.0, 0.0, 64};
  const double least = call.seconds(call.best());
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0.0, 0.01);
    double clock = 1;
    const SplitCost noisy = [&](const std::vector<int>& gpu_parts) {
      clock *= 1.03;  // the clock slows from batch to batch, far more than shares differ
      std::vector<double> all;
      for (const int p : gpu_parts) all.push_back(call.seconds(p) * clock * (1 + noise(random)));
      return all;
    };
    const SplitFound found = search_split({1, 64}, 30, 4, noisy);
    EXPECT_LT(call.seconds(found.gpu_parts), 1.08 * least) << "seed " << seed;
  }
}

TEST(SplitSearch, EndsOnACurveThatIsNothingButNoise) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> any(0.5, 1.5);
  const SplitCost cost = [&](const std::vector<int>& gpu_parts) {
    std::vector<double> all(gpu_parts.size());
    std::generate(all.begin(), all.end(), [&] { return any(random); });
    return all;
  };
  const SplitFound found = search_split({1, 16}, 8, 2, cost);
  EXPECT_GE(found.gpu_parts, 1);
  EXPECT_LE(found.gpu_parts, 16);
  EXPECT_LE(found.evaluations, 16);
}

TEST(SplitSearch, MeasuresNoShareOutsideTheRangeAndNoChallengerTwice) {
  std::vector<int> challengers;
  const SyntheticCall call{0.01, 1.0};
  const SplitCost watched = [&](const std::vector<int>& gpu_parts) {
    for (std::size_t i = 0; i < gpu_parts.size(); ++i) {
      EXPECT_GE(gpu_parts[i], 3);
      EXPECT_LE(gpu_parts[i], 13);
      if (i > 0) challengers.push_back(gpu_parts[i]);
    }
    return call.exact()(gpu_parts);
  };
  EXPECT_EQ(search_split({3, 13}, 99, 2, watched).gpu_parts, 13);
  std::sort(challengers.begin(), challengers.end());
  EXPECT_EQ(std::adjacent_find(challengers.begin(), challengers.end()), challengers.end());
}

TEST(SplitSearch, TakesTheOnlyShareThereIs) {
  const SplitFound found = search_split({1, 1}, 1, 2, SyntheticCall{}.exact());
  EXPECT_EQ(found.gpu_parts, 1);
  EXPECT_EQ(found.evaluations, 1);
}

TEST(SplitSearch, LeavesSharesThatFail) {
  const SplitCost cost = [](const std::vector<int>& gpu_parts) {
    std::vector<double> all;
    for (const int p : gpu_parts)
      all.push_back(p > 6 ? std::numeric_limits<double>::infinity() : 20.0 - p);
    return all;
  };
  EXPECT_EQ(search_split({1, 16}, 8, 2, cost).gpu_parts, 6);
}

}  // namespace
}  // namespace duoblas

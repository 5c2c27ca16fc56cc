// The summary at the end of a tuning, from profiles that are made up.
#include "cli/tune_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "cli/made_up_tuning.hpp"

namespace duoblas::cli {
namespace {

std::string summary(const Profile& profile, bool verbose = false) {
  std::ostringstream out;
  print_tune_summary(profile, verbose, out);
  return out.str();
}

// All findings in one line.
std::string findings(const Profile& profile) {
  std::string text;
  for (const std::string& finding : tuning_findings(profile)) text += finding + " ";
  return text;
}

bool says(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

TEST(TuneSummary, HasEveryProductWithWhatWonAndFourStrategies) {
  Profile profile = made_up_profile();
  profile.points = {made_up_point(Precision::s, 1000, 1000, 1000, {0.04, 0.02, 0.016, 0.0125}),
                    made_up_point(Precision::d, 100, 100, 100, {1e-4, 8e-4, 4e-4, 3e-4})};
  choose_otherwise(profile.points[0]);
  const std::string text = summary(profile);
  EXPECT_TRUE(says(text, "sgemm nn 1000 x 1000 x 1000  both     12.5 ms  33/64  panel 6x16"))
      << text;
  EXPECT_TRUE(says(text, "dgemm nn 100 x 100 x 100     CPU        60 us")) << text;
  // 2e9 operations in 0.04 s, 0.6 of that, 0.02, 0.016 and 0.0125 s.
  EXPECT_TRUE(says(text, "50.0     83.3  100.0   125.0   160.0          1.280")) << text;
  EXPECT_TRUE(says(text, "STAND-IN"));
  profile.key.standin = false;
  EXPECT_FALSE(says(summary(profile), "cpu_all"));
  EXPECT_FALSE(says(summary(profile), "STAND-IN"));
}

TEST(TuneSummary, OfAFullTuningIsAPageWithMeansAndWhatDiffersMost) {
  const Profile profile = full_tuning();
  ASSERT_EQ(profile.points.size(), 56u);
  const std::string text = summary(profile);
  EXPECT_LE(std::ranges::count(text, '\n'), 40) << text;
  EXPECT_TRUE(says(text, "sgemm, mean of 28"));
  EXPECT_TRUE(says(text, "dgemm, mean of 28"));
  EXPECT_TRUE(says(text, "--verbose"));
  EXPECT_FALSE(says(text, "sgemm nn 512 x 512 x 512"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(TuneSummary, ShowsEveryProductWhereThatIsAskedFor) {
  const std::string text = summary(full_tuning(), true);
  EXPECT_TRUE(says(text, "sgemm nn 512 x 512 x 512"));
  EXPECT_GT(std::ranges::count(text, '\n'), 2 * 56);
  EXPECT_FALSE(says(text, "--verbose"));
}

TEST(TuneSummary, OfNothingOrOfUnmeasuredTimesSaysSo) {
  EXPECT_TRUE(says(summary(made_up_profile()), "Nothing was tuned"));
  Profile profile = made_up_profile();
  profile.points = {made_up_point(Precision::s, 64, 64, 64, {0.001, 0, 0, 0})};
  const std::string text = summary(profile);
  EXPECT_FALSE(says(text, "nan"));
  EXPECT_FALSE(says(text, "inf"));
  EXPECT_FALSE(says(text, "geometric mean of 0"));
}

TEST(TuneFindings, CountWhoWon) {
  Profile profile = made_up_profile();
  profile.points = {made_up_point(Precision::s, 512, 512, 512, {2, 2, 0.9, 0.8}),
                    made_up_point(Precision::s, 256, 256, 256, {1, 5, 3, 3}),
                    made_up_point(Precision::s, 999, 999, 999, {5, 1, 3, 3}),
                    made_up_point(Precision::s, 900, 900, 900, {5, 2, 3, 1})};
  profile.points[3].hybrid.share = {64, 64};
  EXPECT_TRUE(says(findings(profile),
                   "Of 4 products, both sides together are fastest in 1, the GPU alone in 2, the "
                   "CPU alone in 1."))
      << findings(profile);
}

TEST(TuneFindings, TellWhatCoTuningGainedWhereAndWhy) {
  Profile profile = made_up_profile();
  profile.points = {made_up_point(Precision::s, 512, 512, 512, {4, 4, 2.42, 2}),
                    made_up_point(Precision::d, 512, 512, 512, {4, 4, 2, 2})};
  choose_otherwise(profile.points[0]);
  const std::string text = findings(profile);
  // The root of 1.21.
  EXPECT_TRUE(says(text,
                   "1.10 times as fast as the simple one in the geometric mean of 2 products; "
                   "for 1 of them"))
      << text;
  EXPECT_TRUE(says(text,
                   "most in sgemm nn 512 x 512 x 512, 1.21 times: tile_rows 6 instead of 4, "
                   "block_k 384 instead of 768, the GPU's share 33/64 instead of 8/16."))
      << text;
  EXPECT_TRUE(says(text, "2.00 times as fast as the better of cpu and gpu")) << text;
}

TEST(TuneFindings, DoNotHideWhereCoTuningLost) {
  Profile profile = made_up_profile();
  profile.points = {made_up_point(Precision::z, 512, 512, 512, {4, 4, 1.9, 2})};
  EXPECT_TRUE(says(findings(profile),
                   "slower than the simple one in 1 product, most in zgemm nn "
                   "512 x 512 x 512, 0.950 times"))
      << findings(profile);
}

TEST(TuneFindings, GiveTheCrossoverAsTheSizeOfASquare) {
  Profile profile = full_tuning();
  profile.crossover_flops[3] = 8.0 * 96 * 96 * 96;
  EXPECT_TRUE(says(findings(profile), "n = 192 in sgemm, n = 96 in zgemm.")) << findings(profile);
  EXPECT_FALSE(says(findings(profile), "in dgemm."));
}

TEST(ChoiceDifference, NamesFewFieldsAndCountsTheRest) {
  const TunedPoint point = made_up_point(Precision::s, 8, 8, 8, {1, 1, 1, 1});
  TunedChoice other = point.hybrid;
  EXPECT_EQ(difference_text(other, point.simple), "");
  other.share = {32, 64};
  EXPECT_EQ(difference_text(other, point.simple), "") << "the same share in other parts";
  other.sharing = SharingMode::staged;
  EXPECT_EQ(difference_text(other, point.simple), "sharing staged instead of host_pointer");
  // A field that panel kernels do not use.
  other.kernel.raster = 8;
  EXPECT_EQ(difference_text(other, point.simple), "sharing staged instead of host_pointer");
  other = point.hybrid;
  other.kernel.tile_rows = 8;
  other.kernel.tile_cols = 8;
  other.kernel.vector_width = 2;
  other.kernel.k_unroll = 4;
  other.kernel.block_m = 48;
  other.kernel.block_n = 48;
  EXPECT_TRUE(says(difference_text(other, point.simple),
                   "k_unroll 4 instead of 1, 2 more fields of the kernel"))
      << difference_text(other, point.simple);
}

TEST(Steadiness, IsToldInASentenceAndWarnsWhereItIsNone) {
  EXPECT_EQ(steadiness_text({}), "");
  const std::string steady = steadiness_text({1.02, 0.99, 2100, 2950});
  EXPECT_EQ(steady,
            "At the end the first product took 1.02 times as long on the CPU, and 0.99 times on "
            "the GPU, as when it was tuned. The processor's clock was 2.10 to 2.95 GHz.");
  EXPECT_TRUE(says(steadiness_text({1.02, 1.3, 0, 0}), "tune again"));
  EXPECT_EQ(
      steadiness_text({0, 0.97, 0, 0}),
      "At the end the first product took 0.97 times as long on the GPU as when it was tuned.");
  EXPECT_EQ(steadiness_text({0, 0, 2100, 2100}), "The processor's clock was 2.10 to 2.10 GHz.");
}

TEST(Gain, IsToldOfWhatWasCompared) {
  EXPECT_EQ(gain_text({}, "the last tuning"), "");
  EXPECT_EQ(
      gain_text({3, 0.714}, "the last tuning"),
      "By these plans 3 products take 0.71 of the time that calls took by the last tuning and "
      "what they had learned.");
}

}  // namespace
}  // namespace duoblas::cli

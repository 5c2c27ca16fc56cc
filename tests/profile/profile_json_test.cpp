// Profiles as text: what is written is read back, and nothing illegal is.
#include <fstream>
#include <iterator>
#include <limits>
#include <regex>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

bool same(const TunedChoice& x, const TunedChoice& y) {
  return x.kernel == y.kernel && x.sharing == y.sharing && x.share == y.share &&
         x.seconds == y.seconds;
}

TEST(ProfileJson, ReadsBackWhatItWrote) {
  Profile written = test::paper_profile();
  written.cpu[2].tiles = true;
  written.updates[1] = {33554432, 0.0125, 0.008, 0.02, 0.0275};
  const Profile read = profile_from_json(to_json(written));
  EXPECT_EQ(read.key, written.key);
  EXPECT_EQ(read.cpu, written.cpu);
  EXPECT_EQ(read.cpu_all, written.cpu_all);
  EXPECT_EQ(read.created, written.created);
  EXPECT_EQ(read.origin, written.origin);
  EXPECT_EQ(read.note, written.note);
  EXPECT_EQ(read.steadiness, written.steadiness);
  EXPECT_EQ(read.doubt, written.doubt);
  EXPECT_EQ(read.memory, written.memory);
  EXPECT_EQ(read.gemv, written.gemv);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(read.crossover_flops[i], written.crossover_flops[i]);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(read.updates[i], written.updates[i]);
  ASSERT_EQ(read.points.size(), written.points.size());
  for (std::size_t i = 0; i < read.points.size(); ++i) {
    const TunedPoint& x = read.points[i];
    const TunedPoint& y = written.points[i];
    EXPECT_EQ(x.precision, y.precision);
    EXPECT_EQ(x.op_a, y.op_a);
    EXPECT_EQ(x.op_b, y.op_b);
    EXPECT_EQ(x.m, y.m);
    EXPECT_EQ(x.n, y.n);
    EXPECT_EQ(x.k, y.k);
    EXPECT_TRUE(same(x.hybrid, y.hybrid));
    EXPECT_TRUE(same(x.simple, y.simple));
    EXPECT_TRUE(same(x.gpu, y.gpu));
    EXPECT_EQ(x.cpu_seconds, y.cpu_seconds);
    EXPECT_EQ(x.cpu_all_seconds, y.cpu_all_seconds);
    EXPECT_EQ(x.gpu_side_seconds, y.gpu_side_seconds);
    EXPECT_EQ(x.cpu_side_seconds, y.cpu_side_seconds);
    EXPECT_EQ(x.noise, y.noise);
  }
}

TEST(ProfileJson, KeepsTheKernelOfEachUseAndReadsFilesWithoutAny) {
  Profile profile = test::paper_profile();
  EXPECT_EQ(to_json(profile).find("uses"), std::string::npos);
  KernelParams kernel = profile.points[0].gpu.kernel;
  kernel.k_unroll = 2;
  profile.points[0].uses[KernelUse::resident] = {kernel, 0.0125};
  const Profile read = profile_from_json(to_json(profile));
  ASSERT_EQ(read.points[0].uses.size(), 1u);
  EXPECT_EQ(read.points[0].uses.at(KernelUse::resident).kernel, kernel);
  EXPECT_EQ(read.points[0].uses.at(KernelUse::resident).seconds, 0.0125);
  EXPECT_TRUE(read.points[1].uses.empty());
  std::string before = to_json(test::paper_profile());
  const std::string now = "\"version\": " + std::to_string(Profile::current_version);
  before.replace(before.find(now), now.size(), "\"version\": 9");
  EXPECT_TRUE(profile_from_json(before).points[0].uses.empty());
}

// A kernel without sizes compiled in and without an image is written as it was before there were.
TEST(ProfileJson, HasSwitchesOfGemvWhereTheyAreOn) {
  Profile profile = test::paper_profile();
  EXPECT_EQ(to_json(profile).find("inline_sizes\": 1"), std::string::npos);
  const std::string before = to_json(profile);
  auto& tuned = profile.gemv[precision_index(Precision::d)][1];
  ASSERT_TRUE(tuned.has_value());
  tuned->kernel.inline_sizes = tuned->kernel.image = 1;
  EXPECT_NE(to_json(profile), before);
  EXPECT_EQ(profile_from_json(to_json(profile)).gemv, profile.gemv);
}

// Profiles of before have kernels of routines that are no more, whatever these say.
TEST(ProfileJson, IsReadWithKernelsOfRoutinesThatAreNoMore) {
  const Profile profile = test::paper_profile();
  nlohmann::json before = nlohmann::json::parse(to_json(profile));
  for (const char* version : {"9", "10", "11"}) {
    before["version"] = std::stoi(version);
    before["ger"]["c"]["n"] = {
        {"vector_width", 2}, {"across", 32}, {"down", 4}, {"lines", 8}, {"rate", 250e9}};
    before["axpy"]["s"]["n"] = before["ger"]["c"]["n"];
    before["omatcopy"]["z"]["t"] = {{"tile", 32}, {"across", 16}, {"down", 8}, {"lines", 1}};
    const Profile read = profile_from_json(before.dump());
    EXPECT_EQ(read.gemv, profile.gemv);
    EXPECT_EQ(to_json(read), to_json(profile));
  }
}

TEST(ProfileJson, LeavesOutRatesOfMemoryThatItWouldNotTakeBack) {
  Profile profile = test::paper_profile();
  profile.memory.gpu_beside = 0;
  EXPECT_EQ(profile_from_json(to_json(profile)).memory.both(), 0);
  const MemoryRates good = profile.memory;
  for (const auto member : {&MemoryRates::cpu, &MemoryRates::cpu_all, &MemoryRates::gpu,
                            &MemoryRates::gpu_host, &MemoryRates::launch_seconds})
    for (const double nonsense : {0.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()}) {
      profile.memory = good;
      profile.memory.*member = nonsense;
      EXPECT_EQ(profile_from_json(to_json(profile)).memory, MemoryRates());
    }
}

TEST(ProfileJson, NeverHoldsThePathOfALibrary) {
  Profile profile = test::paper_profile();
  profile.cpu[0].library = "/tmp/evil.so";
  profile.cpu_all[3].library = "/tmp/evil.so";
  const std::string text = to_json(profile);
  EXPECT_EQ(text.find("evil"), std::string::npos);
  EXPECT_TRUE(profile_from_json(text).cpu[0].library.empty());
}

TEST(ProfileJson, SurvivesDeviceNamesThatAreNotText) {
  Profile profile = test::paper_profile();
  profile.key.device = "caf\xe9 \x01 GPU";
  EXPECT_NO_THROW(profile_from_json(to_json(profile)));
}

TEST(ProfileJson, NeverWritesWhatItWouldNotRead) {
  Profile profile = test::paper_profile();
  profile.note = "two\nlines \xff " + std::string(500, 'x');
  profile.points[0].noise = std::numeric_limits<double>::quiet_NaN();
  profile.points[0].gpu_side_seconds = std::numeric_limits<double>::infinity();
  const Profile read = profile_from_json(to_json(profile));
  EXPECT_EQ(read.note.substr(0, 12), "two lines ? ");
  EXPECT_EQ(read.note.size(), Profile::longest_note);
  EXPECT_EQ(read.points[0].noise, 0);
  EXPECT_EQ(read.points[0].gpu_side_seconds, 0);
}

std::string real_profile() {
  std::ifstream file(DUOBLAS_TEST_PROFILE);
  return {std::istreambuf_iterator<char>(file), {}};
}

// As a library wrote it that had no such fields of kernels.
std::string without(std::string text, std::initializer_list<std::string> fields) {
  for (const std::string& field : fields)
    text = std::regex_replace(text, std::regex('"' + field + "\": \\d+,\\s*"), "");
  return text;
}

std::vector<KernelParams> kernels_of(const Profile& profile) {
  std::vector<KernelParams> kernels;
  for (const TunedPoint& point : profile.points)
    for (const TunedChoice* choice : {&point.hybrid, &point.simple, &point.gpu})
      kernels.push_back(choice->kernel);
  return kernels;
}

TEST(ProfileJson, OfALibraryWithFewerKernelFieldsIsReadWithTheirDefaults) {
  const std::string whole = real_profile();
  const std::string old = without(whole, {"resident_groups", "raster", "group_depth", "block_m"});
  EXPECT_LT(old.size(), whole.size());
  EXPECT_EQ(old.find("raster"), std::string::npos);
  std::vector<KernelParams> expected = kernels_of(profile_from_json(whole));
  ASSERT_FALSE(expected.empty());
  // The other three were at their defaults.
  EXPECT_NE(expected.front().block_m, KernelParams{}.block_m);
  for (KernelParams& kernel : expected) kernel.block_m = KernelParams{}.block_m;
  EXPECT_EQ(kernels_of(profile_from_json(old)), expected);
}

TEST(ProfileJson, OfALibraryWithFewerKernelFieldsIsWrittenWithAllOfThem) {
  const std::string whole = to_json(profile_from_json(real_profile()));
  const std::string old = without(whole, {"resident_groups", "raster", "group_depth"});
  EXPECT_EQ(to_json(profile_from_json(old)), whole);
}

}  // namespace
}  // namespace duoblas

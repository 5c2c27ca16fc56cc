// Which profile stands in for a machine that was not tuned.
#include "profile/profile_match.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {

/// tests/profile/profiles/pocl_standin.json, embedded as shipped profiles are.
std::span<const std::string_view> fixture_profiles();

namespace {

MachineIdentity a_gpu() {
  return {{"NVIDIA H200", "CUDA 550", "Xeon x16", false}, {"NVIDIA Corporation", "gpu", "cc90"}};
}

Profile profile_of(const MachineIdentity& identity, const char* created = "") {
  Profile profile;
  profile.key = identity.key;
  profile.origin = identity.origin;
  profile.created = created;
  return profile;
}

// Other and ever less like the GPU above.
std::vector<Profile> from_best_to_worst() {
  MachineIdentity other_driver = a_gpu();
  other_driver.key.driver = "CUDA 560";
  MachineIdentity other_device = a_gpu();
  other_device.key.device = "NVIDIA H100";
  MachineIdentity other_architecture = other_device;
  other_architecture.origin.architecture = "cc80";
  MachineIdentity other_vendor = other_architecture;
  other_vendor.origin = {"Intel", "gpu", "Iris"};
  return {profile_of(a_gpu()), profile_of(other_driver), profile_of(other_device),
          profile_of(other_architecture), profile_of(other_vendor)};
}

TEST(ProfileMatching, RanksMachineDeviceArchitectureVendorKind) {
  const std::vector<Profile> profiles = from_best_to_worst();
  using enum ProfileMatch;
  const ProfileMatch expected[] = {exact, device, architecture, vendor, kind};
  for (std::size_t i = 0; i < profiles.size(); ++i)
    EXPECT_EQ(match(profiles[i], a_gpu()), expected[i]) << i;
}

TEST(ProfileMatching, TakesTheBestOfThoseThatAreThere) {
  std::vector<Profile> left = from_best_to_worst();
  while (!left.empty()) {
    const std::vector<Profile> worst_first(left.rbegin(), left.rend());
    EXPECT_EQ(best_match(worst_first, a_gpu()), worst_first.size() - 1);
    left.erase(left.begin());
  }
  EXPECT_EQ(best_match(left, a_gpu()), std::nullopt);
}

TEST(ProfileMatching, NeverTakesAStandInForAGpuNorTheReverse) {
  Profile standin = profile_of(a_gpu());
  standin.key.standin = true;
  EXPECT_EQ(match(standin, a_gpu()), ProfileMatch::none);
  MachineIdentity machine = a_gpu();
  machine.key.standin = true;
  EXPECT_EQ(match(profile_of(a_gpu()), machine), ProfileMatch::none);
  Profile cpu_device = profile_of(a_gpu());
  cpu_device.key.driver = "another";
  cpu_device.origin.kind = "cpu";
  EXPECT_EQ(match(cpu_device, a_gpu()), ProfileMatch::none);
  EXPECT_EQ(best_match(std::vector{standin, cpu_device}, a_gpu()), std::nullopt);
}

TEST(ProfileMatching, FindsNothingInCommonInWhatNobodySaid) {
  MachineIdentity silent = a_gpu();
  silent.key.device = silent.origin.vendor = silent.origin.architecture = "";
  Profile other = profile_of(silent);
  other.key.driver = "another";
  EXPECT_EQ(match(other, silent), ProfileMatch::kind);
}

TEST(ProfileMatching, PrefersTheSameVendorAndCpuAndThenWhatKnowsMore) {
  const MachineIdentity machine{{"Radeon", "1", "EPYC x2", false}, {"AMD", "gpu", "gfx90a"}};
  Profile stranger = profile_of({{"A", "1", "Xeon", false}, {"Mesa", "gpu", "gfx90a"}});
  Profile same_vendor = profile_of({{"B", "1", "Xeon", false}, {"AMD", "gpu", "gfx90a"}});
  Profile same_cpu = profile_of({{"C", "1", "EPYC x2", false}, {"AMD", "gpu", "gfx90a"}});
  Profile knows_more = same_cpu;
  knows_more.points.resize(3);
  EXPECT_EQ(best_match(std::vector{stranger, same_vendor}, machine), 1);
  EXPECT_EQ(best_match(std::vector{same_cpu, same_vendor, stranger}, machine), 0);
  EXPECT_EQ(best_match(std::vector{same_cpu, knows_more, same_cpu}, machine), 1);
  EXPECT_EQ(best_match(std::vector{same_cpu, same_cpu}, machine), 0) << "the first of equals";
}

TEST(ProfileMatching, HasTitlesThatDoNothingToATerminal) {
  Profile profile = test::paper_profile();
  profile.key.device = "evil\x1b[2J\n";
  EXPECT_EQ(title(profile).find_first_of("\x1b\n"), std::string::npos);
  EXPECT_NE(title(profile).find("Paper CPU x2"), std::string::npos);
}

TEST(ProfileOriginOf, NamesArchitecturesAsDevelopersDo) {
  EXPECT_EQ(profile_origin({"NVIDIA H200", "NVIDIA", false, 16, 90}).architecture, "cc90");
  EXPECT_EQ(profile_origin({"pthread", "GenuineIntel", true, 64, 0}).architecture, "v512");
  EXPECT_EQ(profile_origin({"gfx90a:sramecc+:xnack-", "AMD", false, 4, 0}).architecture, "gfx90a");
  EXPECT_EQ(profile_origin({"Mali-G78 r0p1", "ARM", false, 16, 0}).architecture, "Mali-G78");
  EXPECT_EQ(profile_origin({"Intel(R) Iris(R) Xe [0x9a49]", "Intel", false, 4, 0}).architecture,
            "Intel(R) Iris(R) Xe");
  EXPECT_EQ(profile_origin({"Radeon rx580", "AMD", false, 4, 0}).architecture, "Radeon rx580");
  EXPECT_EQ(profile_origin({"", "", false, 4, 0}).architecture, "");
  EXPECT_EQ(profile_origin({"pthread", "GenuineIntel", true, 64, 0}).kind, "cpu");
  EXPECT_EQ(profile_origin({"NVIDIA H200", "NVIDIA", false, 16, 90}).kind, "gpu");
}

TEST(ProfileCandidates, AreTheUsableFilesOfTheDirectory) {
  const test::TemporaryDirectory directory;
  const std::size_t shipped = profile_candidates("").size();
  store_profile(directory.path(), test::paper_profile());
  std::ofstream(directory / "damaged.json") << "{\"format\": \"duoblas-profile\", \"version\": 3}";
  std::filesystem::create_directory(directory / "folder.json");
  std::ofstream(directory / "kept.json.before-import") << to_json(test::paper_profile());
  const auto candidates = profile_candidates(directory.path());
  ASSERT_EQ(candidates.size(), shipped + 1);
  EXPECT_EQ(candidates[0].key, test::paper_profile().key);
  EXPECT_EQ(profile_candidates("/nonexistent").size(), shipped);
}

TEST(ShippedProfiles, CanAllBeRead) {
  for (const std::string_view text : shipped_profiles())
    EXPECT_NO_THROW(profile_from_json(std::string(text)));
}

TEST(ShippedProfiles, AreEmbeddedByteForByte) {
  std::ifstream file(DUOBLAS_TEST_PROFILE, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  ASSERT_FALSE(text.empty());
  ASSERT_EQ(fixture_profiles().size(), 1u);
  EXPECT_EQ(fixture_profiles()[0], text);
}

TEST(ShippedProfiles, StandInForMachinesOfTheSameArchitecture) {
  const Profile real = profile_from_json(std::string(fixture_profiles()[0]));
  MachineIdentity machine{real.key, real.origin};
  EXPECT_EQ(match(real, machine), ProfileMatch::exact);
  machine.key.device = "pthread-another";
  EXPECT_EQ(match(real, machine), ProfileMatch::architecture);
  machine.origin.architecture = "v256";
  EXPECT_EQ(match(real, machine), ProfileMatch::vendor);
}

}  // namespace
}  // namespace duoblas

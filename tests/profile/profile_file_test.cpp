// Profiles as files.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

#include "kernel_space/kernel_defaults.hpp"
#include "profile/profile_match.hpp"
#include "support/temporary_directory.hpp"
#include "support/tuned_machine.hpp"

namespace duoblas {
namespace {

namespace fs = std::filesystem;

class ProfileFile : public ::testing::Test {
 protected:
  std::string directory() const { return (root_ / "a" / "b").string(); }
  fs::path path(const ProfileKey& key) const { return directory() + "/" + profile_file_name(key); }
  void write(const std::string& text) const {
    fs::create_directories(directory());
    std::ofstream(path(profile_.key)) << text;
  }
  static mode_t mode(const fs::path& path) {
    struct stat status = {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
  }

  const Profile profile_ = test::paper_profile();
  const test::TemporaryDirectory temporary_;
  const fs::path root_ = temporary_.path();
};

TEST_F(ProfileFile, IsFoundUnderTheKeyItWasStoredFor) {
  EXPECT_EQ(store_profile(directory(), profile_), path(profile_.key).string());
  std::string problem = "unset";
  const auto loaded = load_profile(directory(), profile_.key, &problem);
  ASSERT_TRUE(loaded.has_value());
  EXPECT_EQ(problem, "");
  EXPECT_EQ(loaded->key, profile_.key);
  EXPECT_EQ(loaded->points.size(), profile_.points.size());
}

TEST_F(ProfileFile, IsPrivateAndSoAreTheDirectoriesMadeForIt) {
  const std::string stored = store_profile(directory(), profile_);
  EXPECT_EQ(mode(root_ / "a"), 0700u);
  EXPECT_EQ(mode(root_ / "a" / "b"), 0700u);
  EXPECT_EQ(mode(stored) & 0077u, 0u);
}

TEST_F(ProfileFile, ReplacesAnOlderOneAndLeavesNothingElseBehind) {
  store_profile(directory(), profile_);
  Profile newer = profile_;
  newer.created = "2027-01-01T00:00:00Z";
  store_profile(directory() + "/", newer);
  EXPECT_EQ(load_profile(directory(), profile_.key)->created, newer.created);
  const auto files = std::distance(fs::directory_iterator(directory()), fs::directory_iterator());
  EXPECT_EQ(files, 1);
}

TEST_F(ProfileFile, OfAnotherMachineIsNotUsed) {
  store_profile(directory(), profile_);
  ProfileKey other = profile_.key;
  other.driver = "2.0";
  EXPECT_NE(profile_file_name(other), profile_file_name(profile_.key));
  EXPECT_FALSE(load_profile(directory(), other).has_value());
  // Even under the other's name.
  fs::copy_file(path(profile_.key), path(other));
  std::string problem;
  EXPECT_FALSE(load_profile(directory(), other, &problem).has_value());
  EXPECT_NE(problem.find("another machine"), std::string::npos) << problem;
}

// Two profiles of one device: neither stands in for the other, under whatever name.
TEST_F(ProfileFile, OfTheOtherArithmeticIsAnother) {
  store_profile(directory(), profile_);
  Profile integers = profile_;
  integers.key.arithmetic = Arithmetic::integers;
  std::erase_if(integers.points, [](const TunedPoint& p) { return !is_double(p.precision); });
  for (TunedPoint& point : integers.points)
    for (TunedChoice* choice : {&point.hybrid, &point.simple, &point.gpu})
      choice->kernel = integers_kernel(DeviceLimits{});
  EXPECT_NE(path(integers.key), path(profile_.key));
  EXPECT_FALSE(load_profile(directory(), integers.key).has_value());
  EXPECT_EQ(match(profile_, {integers.key, profile_.origin}), ProfileMatch::none);
  store_profile(directory(), integers);
  const auto stored = load_profile(directory(), integers.key);
  ASSERT_TRUE(stored.has_value());
  EXPECT_EQ(stored->key, integers.key);
  EXPECT_EQ(load_profile(directory(), profile_.key)->key, profile_.key);
  fs::copy_file(path(profile_.key), path(integers.key), fs::copy_options::overwrite_existing);
  EXPECT_FALSE(load_profile(directory(), integers.key).has_value());
}

// Files of DuoBLAS before it had products by integers stay this machine's.
TEST_F(ProfileFile, WithoutAnArithmeticIsOfNative) {
  const ProfileKey key{"Device", "1.0", "CPU x2", false};
  EXPECT_EQ(profile_file_name(key), "Device-e6df832a649d9cac.json");
  const std::string text = to_json(profile_);
  EXPECT_EQ(text.find("arithmetic"), std::string::npos);
  EXPECT_EQ(profile_from_json(text).key, profile_.key);
}

TEST_F(ProfileFile, ByIntegersHasDoublesByIntegersOnly) {
  Profile mixed = profile_;
  mixed.key.arithmetic = Arithmetic::integers;
  EXPECT_THROW(profile_from_json(to_json(mixed)), SettingError);
}

// Of a library whose tunings of both arithmetics shared a file.
TEST_F(ProfileFile, OfNativeProductsIsReadWithoutThoseByIntegers) {
  Profile mixed = profile_;
  TunedPoint& point = mixed.points.emplace_back(mixed.points.front());
  point.precision = Precision::d;
  for (TunedChoice* choice : {&point.hybrid, &point.simple, &point.gpu})
    choice->kernel = integers_kernel(DeviceLimits{});
  const Profile read = profile_from_json(to_json(mixed));
  EXPECT_EQ(read.points.size(), profile_.points.size());
  EXPECT_FALSE(is_by_integers(read.points.back().gpu.kernel));
}

TEST_F(ProfileFile, ThatIsMissingIsNoProblem) {
  std::string problem = "unset";
  EXPECT_FALSE(load_profile(directory(), profile_.key, &problem).has_value());
  EXPECT_EQ(problem, "");
  EXPECT_FALSE(load_profile("", profile_.key, &problem).has_value());
  EXPECT_EQ(problem, "");
}

TEST_F(ProfileFile, ThatIsDamagedNamesFileFieldAndCure) {
  std::string text = to_json(profile_);
  text.replace(text.find("\"gpu_parts\":9"), 13, "\"gpu_parts\": -9");
  write(text);
  std::string problem;
  EXPECT_FALSE(load_profile(directory(), profile_.key, &problem).has_value());
  EXPECT_NE(problem.find(path(profile_.key).string()), std::string::npos) << problem;
  EXPECT_NE(problem.find("points[0].hybrid.gpu_parts"), std::string::npos) << problem;
  EXPECT_NE(problem.find("duoblas tune"), std::string::npos) << problem;
}

TEST_F(ProfileFile, ThatIsNoFileIsAProblemAndNotAWait) {
  fs::create_directories(directory());
  ASSERT_EQ(::mkfifo(path(profile_.key).c_str(), 0600), 0);
  std::string problem;
  EXPECT_FALSE(load_profile(directory(), profile_.key, &problem).has_value());
  EXPECT_NE(problem.find("not a regular file"), std::string::npos) << problem;
}

TEST_F(ProfileFile, ThatIsHugeIsNotRead) {
  write("{}");
  fs::resize_file(path(profile_.key), std::uintmax_t{1} << 40);
  std::string problem;
  EXPECT_FALSE(load_profile(directory(), profile_.key, &problem).has_value());
  EXPECT_NE(problem.find("larger than"), std::string::npos) << problem;
}

TEST_F(ProfileFile, CannotBeStoredWhereADirectoryCannotBe) {
  std::ofstream(root_ / "a") << "a file";
  EXPECT_THROW(store_profile(directory(), profile_), SettingError);
  EXPECT_THROW(store_profile("", profile_), SettingError);
  EXPECT_THROW(store_profile("/proc/nowhere", profile_), SettingError);
}

TEST_F(ProfileFile, BelongsToTheOwnerGiven) {
  const unsigned user = ::geteuid() == 0 ? 12345 : ::geteuid();
  const unsigned group = ::geteuid() == 0 ? 12345 : ::getegid();
  const std::string stored = store_profile(directory(), profile_, std::pair{user, group});
  for (const fs::path& made : {root_ / "a", root_ / "a" / "b", fs::path(stored)}) {
    struct stat status = {};
    ASSERT_EQ(::stat(made.c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, user) << made;
    EXPECT_EQ(status.st_gid, group) << made;
  }
  struct stat before = {};
  ASSERT_EQ(::stat(root_.c_str(), &before), 0);
  EXPECT_EQ(before.st_uid, ::geteuid()) << "a directory that was there was given away";
}

TEST_F(ProfileFile, HasANameThatEveryFileSystemTakes) {
  ProfileKey key{"Ge/Force\n(TM) ../../\xff", "5/3", "CPU", false};
  const std::string name = profile_file_name(key);
  EXPECT_EQ(
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-."),
      std::string::npos)
      << name;
  EXPECT_EQ(name.find(".."), std::string::npos);
  EXPECT_LT(profile_file_name({std::string(1000, 'x'), "", "", true}).size(), 128u);
}

TEST_F(ProfileFile, OfADeviceWhoseNameIsNoTextIsFoundAgain) {
  Profile odd = profile_;
  odd.key.device = "caf\xe9";
  store_profile(directory(), odd);
  EXPECT_TRUE(load_profile(directory(), odd.key).has_value());
}

}  // namespace
}  // namespace duoblas

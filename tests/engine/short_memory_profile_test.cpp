// Each allocation of reading profiles fails in turn: what comes back is whole or nothing, and the
// process goes on.
#include <gtest/gtest.h>

#include <new>
#include <ostream>
#include <tuple>

#include "engine/failing_allocations.hpp"
#include "profile/profile_match.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {

void PrintTo(const ProfileKey& key, std::ostream* out) {
  *out << key.device;
}

namespace test {
namespace {

// Names of two real machines. Their lengths decide which text needs memory of its own.
const ProfileKey intel = {"pthread-skylake-avx512-Intel(R) Xeon(R) Processor",
                          "Portable Computing Language 3.1+debian", "Intel(R) Xeon(R) Processor x2",
                          true};
const ProfileKey amd = {"pthread-znver3-AMD EPYC", "Portable Computing Language 3.1+debian",
                        "AMD EPYC x2", false};

Profile profile_of(const ProfileKey& key) {
  Profile profile;
  profile.key = key;
  profile.origin = {"vendor", "cpu", "v512"};
  profile.created = "2026-11-22T12:00:00Z";
  TunedPoint point;
  point.m = point.n = point.k = 512;
  profile.points = {point, point};
  return profile;
}

class ReadingAProfile : public testing::TestWithParam<std::tuple<ProfileKey, bool>> {
 protected:
  const ProfileKey key = std::get<0>(GetParam());
  const bool from_then_on = std::get<1>(GetParam());
  const TemporaryDirectory folder;
  const std::string directory = folder.path();

  /// Calls `read` with each allocation failing in turn; how many rounds there were.
  template <typename Read>
  long in_each_round(Read&& read) {
    long number = 1;
    for (bool felt = true; felt; ++number) {
      const ShortMemory memory(number, from_then_on);
      try {
        read();
      } catch (const std::bad_alloc&) {
      }
      felt = memory.felt();
    }
    return number;
  }
};

INSTANTIATE_TEST_SUITE_P(Machines, ReadingAProfile,
                         testing::Combine(testing::Values(intel, amd), testing::Bool()),
                         [](const auto& info) {
                           return std::string(std::get<0>(info.param).standin ? "Intel" : "Amd") +
                                  (std::get<1>(info.param) ? "_for_long" : "_once");
                         });

TEST_P(ReadingAProfile, GivesAllOfItOrNothingWhileMemoryIsShort) {
  store_profile(directory, profile_of(key));
  int whole = 0, nothing = 0;
  const long rounds = in_each_round([&] {
    std::string problem;
    const auto profile = load_profile(directory, key, &problem);
    (profile && profile->points.size() == 2 ? whole : nothing)++;
  });
  EXPECT_GT(rounds, 100);
  EXPECT_GE(whole, 1);
  EXPECT_GT(nothing, 50);
  EXPECT_TRUE(load_profile(directory, key).has_value());
}

TEST_P(ReadingAProfile, LeavesOutCandidatesWhileMemoryIsShort) {
  // The shipped profiles, one whole and one damaged file.
  store_profile(directory, profile_of(key));
  replace_profile_file(directory + "/damaged.json", "{\"format\": [[[]]]");
  const std::size_t all = profile_candidates(directory).size();
  EXPECT_GT(all, 2u);
  // Shipped profiles are long. Their allocations are alike, so some of them are enough.
  int fewer = 0;
  bool felt = true;
  for (long number = 1; felt && number < 200'000; number += 1 + number / 30) {
    std::size_t found = 0;
    {
      const ShortMemory memory(number, from_then_on);
      found = profile_candidates(directory).size();
      felt = memory.felt();
    }
    fewer += found < all;
    EXPECT_LE(found, all);
  }
  EXPECT_FALSE(felt) << "not every allocation was reached";
  EXPECT_GT(fewer, 20);
  EXPECT_EQ(profile_candidates(directory).size(), all);
}

}  // namespace
}  // namespace test
}  // namespace duoblas

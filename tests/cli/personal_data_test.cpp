// What is taken out of a file that is sent to strangers.
#include "cli/selftest/personal_data.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace duoblas::cli::selftest {
namespace {

const Owner jane{"/srv/people/jane", "jane", "jane-laptop"};

TEST(PersonalData, HomesAreTildes) {
  EXPECT_EQ(without_personal_data("/srv/people/jane/lib/libblas.so", jane), "~/lib/libblas.so");
  EXPECT_EQ(without_personal_data("A=/home/user/x:/home/you/y", jane), "A=~/x:~/y");
  EXPECT_EQ(without_personal_data("/run/user/1000/cache", jane), "~/cache");
}

TEST(PersonalData, NamesInPathsAndOfTheMachineAreReplaced) {
  EXPECT_EQ(without_personal_data("/scratch/jane/cache", jane), "/scratch/USER/cache");
  EXPECT_EQ(without_personal_data("on jane-laptop.", jane), "on HOST.");
}

TEST(PersonalData, PartsOfWordsStay) {
  const Owner amd{"/", "amd", "amd"};
  EXPECT_EQ(without_personal_data("amdgpu /opt/amdgpu-pro/lib", amd), "amdgpu /opt/amdgpu-pro/lib");
  EXPECT_EQ(without_personal_data("/usr/lib/x", amd), "/usr/lib/x");
}

TEST(PersonalData, IsTakenOutOfEveryTextOfADocument) {
  nlohmann::json document = {{"a", {"/home/you/x", 3}}, {"b", {{"c", "jane-laptop"}}}};
  remove_personal_data(document, jane);
  EXPECT_EQ(document.dump(), R"({"a":["~/x",3],"b":{"c":"HOST"}})");
}

}  // namespace
}  // namespace duoblas::cli::selftest

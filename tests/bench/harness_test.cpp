// The harness of the benchmarks: options, cases, turns.
#include "bench/harness.hpp"

#include <gtest/gtest.h>

#include <duoblas/error.hpp>

namespace duoblas {
namespace {

NamedOptions parsed(const std::vector<std::string>& words, const std::string& wanted = "") {
  NamedOptions options({{"--n", "1024"}, {"--ops", "nn,nt"}}, wanted);
  options.parse(words);
  return options;
}

TEST(BenchOptions, HaveTheirDefaultsUnlessTheyAreGiven) {
  EXPECT_EQ(parsed({}).whole("--n"), 1024);
  EXPECT_EQ(parsed({"--n", "7"}).whole("--n"), 7);
  EXPECT_EQ(parsed({}).list("--ops"), (std::vector<std::string>{"nn", "nt"}));
  EXPECT_EQ(parsed({"library.so"}, "library").word(), "library.so");
}

TEST(BenchOptions, RefuseWhatTheyDoNotKnow) {
  EXPECT_THROW(parsed({"--m", "7"}), SettingError);
  EXPECT_THROW(parsed({"--n"}), SettingError);
  EXPECT_THROW(parsed({"word"}), SettingError);
  EXPECT_THROW(parsed({}, "library"), SettingError) << "the word that is wanted";
  for (const char* text : {"0", "-3", "7x", ""})
    EXPECT_THROW(parsed({"--n", text}).whole("--n"), SettingError) << text;
}

int exit_code(std::vector<const char*> words, const std::vector<BenchCase>& cases) {
  words.insert(words.begin(), "bench");
  return bench_main("bench", cases, static_cast<int>(words.size()),
                    const_cast<char**>(words.data()));
}

TEST(BenchMain, RunsTheCaseThatIsNamed) {
  std::string ran;
  const auto one = [&](const char* name, int code) {
    return BenchCase{name, "", NamedOptions(NamedOptions::Defaults{{"--n", "1"}}),
                     [&ran, name, code](const auto& options) {
                       ran = name + options["--n"];
                       return code;
                     }};
  };
  const std::vector<BenchCase> cases = {one("cost", 0), one("errors", 3)};
  EXPECT_EQ(exit_code({"errors", "--n", "5"}, cases), 3);
  EXPECT_EQ(ran, "errors5");
  ran.clear();
  EXPECT_EQ(exit_code({}, cases), 2);
  EXPECT_EQ(exit_code({"--n", "5"}, cases), 2);
  EXPECT_EQ(ran, "");
  EXPECT_EQ(exit_code({"--n", "6"}, {one("", 0)}), 0);
  EXPECT_EQ(ran, "6");
}

TEST(BenchTurns, CountWhatEachWayTookBesideTheFirst) {
  const std::vector<Taken> taken =
      in_turns({{"one", [] { return 2.0; }}, {"half", [] { return 1.0; }}}, {5, 5});
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].median, 2);
  EXPECT_EQ(taken[1].ratio, 0.5);
}

TEST(BenchTurns, LeaveOutAWayThatFailsAndSayWhy) {
  int calls = 0;
  const std::vector<Taken> taken = in_turns({{"right", [] { return 1.0; }},
                                             {"wrong",
                                              [&]() -> double {
                                                ++calls;
                                                throw DeviceError("it is gone");
                                              }}},
                                            {5, 5});
  EXPECT_EQ(taken[0].median, 1);
  EXPECT_NE(taken[1].problem.find("it is gone"), std::string::npos);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace duoblas

// Core lists and the limits of the CPU side.
#include "cpu/cpu_limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <duoblas/error.hpp>

#include "cpu/topology.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

using Cores = std::vector<int>;

std::string error_of(const std::string& text) {
  try {
    parse_core_list(text);
  } catch (const SettingError& error) {
    return error.what();
  }
  return "";
}

TEST(CoreList, TakesNumbersAndRanges) {
  EXPECT_EQ(parse_core_list("3"), Cores({3}));
  EXPECT_EQ(parse_core_list("0-3,8"), Cores({0, 1, 2, 3, 8}));
  EXPECT_EQ(parse_core_list("5-5"), Cores({5}));
}

TEST(CoreList, IsSortedAndHoldsEachCoreOnce) {
  EXPECT_EQ(parse_core_list("8,0-2,1"), Cores({0, 1, 2, 8}));
}

TEST(CoreList, SaysWhatIsAcceptedWhereItDoesNotParse) {
  for (const char* text : {"", "a", "1,", ",1", "1-", "-1", "3-1", "1 2", "0-99999999", "1;2",
                           "0x1", "99999999999999999999", "1,,2", "1-2-3", " 1"}) {
    const std::string message = error_of(text);
    EXPECT_NE(message.find("such as 0-3,8"), std::string::npos) << '"' << text << '"' << message;
    EXPECT_NE(message.find('"' + std::string(text) + '"'), std::string::npos) << message;
  }
}

TEST(CpuLimits, AreTheAllowedCoresAndNoMoreThreads) {
  const CpuLimits limits = cpu_limits("", 0);
  EXPECT_EQ(limits.cores, allowed_cores());
  EXPECT_GE(limits.threads, 1);
  EXPECT_LE(limits.threads, static_cast<int>(limits.cores.size()));
}

TEST(CpuLimits, FollowTheAffinityOfTheCallingThread) {
  const Cores last = {allowed_cores().back()};
  const ScopedAffinity scope(last);
  EXPECT_EQ(cpu_limits("", 0).cores, last);
  EXPECT_EQ(cpu_limits("", 0).threads, 1);
}

TEST(CpuLimits, AreCutByTheCoreList) {
  const Cores last = {allowed_cores().back()};
  const CpuLimits limits = cpu_limits(std::to_string(last[0]) + ",4000", 0);
  EXPECT_EQ(limits.cores, last);
  EXPECT_EQ(limits.threads, 1);
}

TEST(CpuLimits, RefuseAListWithoutAnAllowedCore) {
  try {
    cpu_limits("4000", 0);
    FAIL() << "no error";
  } catch (const SettingError& error) {
    EXPECT_NE(std::string(error.what()).find("none of the cores"), std::string::npos);
  }
}

TEST(CpuLimits, TakeTheThreadCountOfTheEnvironmentAsUpperBoundOnly) {
  EXPECT_EQ(cpu_limits("", 1).threads, 1);
  EXPECT_EQ(cpu_limits("", 100000).threads, cpu_limits("", 0).threads);
}

TEST(StandinHalves, ShareTheCoresWithoutOverlap) {
  const StandinHalves even = standin_halves({{0, 1, 4, 5}, 4});
  EXPECT_EQ(even.gpu, Cores({0, 1}));
  EXPECT_EQ(even.cpu, Cores({4, 5}));
  const StandinHalves odd = standin_halves({{0, 1, 2}, 3});
  EXPECT_EQ(odd.gpu, Cores({0}));
  EXPECT_EQ(odd.cpu, Cores({1, 2}));
}

TEST(StandinHalves, NeedTwoCores) {
  EXPECT_THROW(standin_halves({{7}, 1}), SettingError);
}

// Parts of all cores of the host, so that ranks that are bound to some keep those.
TEST(CpuLimits, OfSeveralProcessesAreAPartOfTheCores) {
  const int all = topology().hardware_threads;
  for (const int processes : {2, all, 4 * all}) {
    const CpuLimits limits = cpu_limits("", 0, processes);
    EXPECT_EQ(limits.cores, allowed_cores());
    EXPECT_LE(limits.threads, std::max(1, all / processes));
    EXPECT_GE(limits.threads, 1);
  }
  const ScopedAffinity bound({allowed_cores().front()});
  EXPECT_EQ(cpu_limits("", 0, 2).threads, 1);
}

TEST(NearCores, AreThoseThatTheKernelTells) {
  const test::TemporaryDirectory root;
  const std::string device = root.path() + "/sys/bus/pci/devices/0000:1b:00.0";
  std::filesystem::create_directories(device);
  std::ofstream(device + "/local_cpulist") << "0-1,4\n";
  EXPECT_EQ(cores_near("0000:1b:00.0", root.path()), Cores({0, 1, 4}));
  EXPECT_EQ(cores_near("0000:1c:00.0", root.path()), Cores());
  EXPECT_EQ(cores_near("", root.path()), Cores());
  std::ofstream(device + "/local_cpulist") << "\n";
  EXPECT_EQ(cores_near("0000:1b:00.0", root.path()), Cores());
}

}  // namespace
}  // namespace duoblas

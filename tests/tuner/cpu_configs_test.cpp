// Which configurations of the CPU side are measured, for processors that are made up.
#include "tuner/cpu_configs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace duoblas {
namespace {

using Cores = std::vector<int>;

Cores range(int first, int last) {
  Cores cores(static_cast<std::size_t>(last - first + 1));
  std::iota(cores.begin(), cores.end(), first);
  return cores;
}

CpuLimits limits_of(const Cores& cores) {
  return {cores, static_cast<int>(cores.size())};
}

CpuConfig base_of(const CpuLimits& limits) {
  CpuConfig base;
  base.library = "libopenblas.so.0";
  base.core_type = "Haswell";
  base.threads = limits.threads;
  base.cores = limits.cores;
  return base;
}

// `cores` alike, with `per_core` hardware threads each; those of core i are i and i + cores.
Topology alike(int cores, int per_core) {
  Topology machine;
  machine.cores = cores;
  machine.hardware_threads = cores * per_core;
  for (int core = 0; core < cores; ++core) {
    Cores& threads = machine.siblings.emplace_back();
    for (int i = 0; i < per_core; ++i) threads.push_back(core + i * cores);
  }
  return machine;
}

// 8 fast cores with two threads each (0-15) and 16 slow ones (16-31), as on desktop processors.
Topology eight_fast_sixteen_slow() {
  Topology machine;
  for (int core = 0; core < 8; ++core) machine.siblings.push_back({2 * core, 2 * core + 1});
  for (int core = 16; core < 32; ++core) machine.siblings.push_back({core});
  machine.kinds = {{"IntelAtom", 0, range(16, 31)}, {"IntelCore", 1, range(0, 15)}};
  return machine;
}

struct Threading {
  Cores cores;
  int threads;
  bool tiles;
  friend bool operator==(const Threading&, const Threading&) = default;
};

std::ostream& operator<<(std::ostream& out, const Threading& threading) {
  for (const int core : threading.cores) out << core << ' ';
  return out << ": " << threading.threads << (threading.tiles ? " in tiles" : "");
}

// Those of `base` within `limits`; what must hold for any machine is checked on the way.
std::vector<Threading> threadings(const CpuConfig& base, const Topology& machine,
                                  const CpuLimits& limits) {
  std::vector<Threading> found;
  for (const CpuConfig& config : cpu_configurations(base, machine, limits)) {
    EXPECT_EQ(config.library, base.library);
    EXPECT_EQ(config.core_type, base.core_type);
    EXPECT_GE(config.threads, 1);
    EXPECT_LE(config.threads, std::min<int>(limits.threads, static_cast<int>(config.cores.size())));
    EXPECT_TRUE(std::is_sorted(config.cores.begin(), config.cores.end()));
    for (const int core : config.cores)
      EXPECT_TRUE(std::count(base.cores.begin(), base.cores.end(), core) == 1 || base.cores.empty())
          << core;
    const Threading threading{config.cores, config.threads, config.tiles};
    EXPECT_EQ(std::count(found.begin(), found.end(), threading), 0) << threading;
    found.push_back(threading);
  }
  EXPECT_GE(found.size(), 1u);
  EXPECT_LE(found.size(), 6u);
  return found;
}

std::vector<Threading> threadings(const Topology& machine, const CpuLimits& limits) {
  return threadings(base_of(limits), machine, limits);
}

using Threadings = std::vector<Threading>;

TEST(CpuConfigurations, OfOneCoreAreOne) {
  EXPECT_EQ(threadings(alike(1, 1), limits_of({0})), Threadings({{{0}, 1, false}}));
}

TEST(CpuConfigurations, OfTwoCoresLeaveNoneToTheDriver) {
  EXPECT_EQ(threadings(alike(2, 1), limits_of({0, 1})),
            Threadings({{{0, 1}, 2, false}, {{0, 1}, 2, true}}));
}

TEST(CpuConfigurations, OfFourCoresAreAllAndOneLessAndTiles) {
  EXPECT_EQ(threadings(alike(4, 1), limits_of(range(0, 3))),
            Threadings({{range(0, 3), 4, false}, {range(0, 2), 3, false}, {range(0, 3), 4, true}}));
}

TEST(CpuConfigurations, WhereCoresHaveTwoThreadsBeginWithOneOfEach) {
  EXPECT_EQ(threadings(alike(4, 2), limits_of(range(0, 7))), Threadings({{range(0, 3), 4, false},
                                                                         {range(0, 2), 3, false},
                                                                         {range(0, 7), 8, false},
                                                                         {range(0, 7), 8, true}}));
}

TEST(CpuConfigurations, OfOneCoreWithTwoThreadsAreOneThreadAndBoth) {
  EXPECT_EQ(threadings(alike(1, 2), limits_of({0, 1})),
            Threadings({{{0}, 1, false}, {{0, 1}, 2, false}, {{0, 1}, 2, true}}));
}

TEST(CpuConfigurations, OfFastAndSlowCoresBeginWithTiles) {
  Cores physical = {0, 2, 4, 6, 8, 10, 12, 14};
  const Cores fast_physical = physical;
  const Cores slow_but_one = range(16, 30);
  physical.insert(physical.end(), slow_but_one.begin(), slow_but_one.end());
  EXPECT_EQ(threadings(eight_fast_sixteen_slow(), limits_of(range(0, 31))),
            Threadings({{range(0, 31), 32, true},
                        {fast_physical, 8, false},
                        {range(0, 15), 16, false},
                        {range(0, 15), 16, true},
                        {range(0, 31), 32, false},
                        {physical, 23, false}}));
}

TEST(CpuConfigurations, WithinTheFastCoresKnowNoSlowOnes) {
  EXPECT_EQ(
      threadings(eight_fast_sixteen_slow(), limits_of(range(16, 19))),
      Threadings({{range(16, 19), 4, false}, {range(16, 18), 3, false}, {range(16, 19), 4, true}}));
}

TEST(CpuConfigurations, CountALonePrimeCoreAmongTheFast) {
  Topology machine = alike(8, 1);
  machine.kinds = {{"", 0, range(0, 3)}, {"", 1, range(4, 6)}, {"", 2, {7}}};
  const Threadings found = threadings(machine, limits_of(range(0, 7)));
  EXPECT_EQ(found[0], (Threading{range(0, 7), 8, true}));
  EXPECT_EQ(found[1], (Threading{range(4, 7), 4, false}));
}

TEST(CpuConfigurations, TakeKindsOfOneRankForAlike) {
  Topology machine = alike(4, 1);
  machine.kinds = {{"", -1, {0, 1}}, {"", -1, {2, 3}}};
  EXPECT_EQ(threadings(machine, limits_of(range(0, 3))),
            threadings(alike(4, 1), limits_of(range(0, 3))));
}

TEST(CpuConfigurations, KeepToAQuotaBelowTheNumberOfCores) {
  EXPECT_EQ(threadings(alike(8, 1), {range(0, 7), 3}),
            Threadings({{range(0, 7), 3, false}, {range(0, 7), 2, false}, {range(0, 7), 3, true}}));
  EXPECT_EQ(threadings(alike(8, 2), {range(0, 15), 1}),
            Threadings({{range(0, 7), 1, false}, {range(0, 15), 1, false}}));
}

TEST(CpuConfigurations, KeepToTheHalfThatTheStandInLeaves) {
  const CpuLimits limits = limits_of(range(0, 7));
  CpuConfig base = base_of(limits);
  base.cores = range(4, 7);
  base.threads = 4;
  EXPECT_EQ(threadings(base, alike(8, 1), limits),
            Threadings({{range(4, 7), 4, false}, {range(4, 6), 3, false}, {range(4, 7), 4, true}}));
}

TEST(CpuConfigurations, KeepToTheThreadsOfTheBaseAndToAllowedCores) {
  CpuConfig base;
  base.threads = 2;
  EXPECT_EQ(threadings(base, alike(8, 1), limits_of({1, 3, 5})),
            Threadings({{{1, 3, 5}, 2, false}, {{1, 3, 5}, 2, true}}));
  base.cores = {0, 1, 3};
  EXPECT_EQ(threadings(base, alike(8, 1), limits_of({1, 3, 5})),
            Threadings({{{1, 3}, 2, false}, {{1, 3}, 2, true}}));
}

TEST(CpuConfigurations, OfAMachineThatSaysNothingAreThoseOfItsLimits) {
  EXPECT_EQ(threadings(Topology(), limits_of({2, 4, 6})),
            Threadings({{{2, 4, 6}, 3, false}, {{2, 4}, 2, false}, {{2, 4, 6}, 3, true}}));
}

TEST(CpuConfigurations, OfThisMachineStartWithWhatItHas) {
  const CpuLimits limits = cpu_limits("", 0);
  EXPECT_GE(threadings(topology(), limits).size(), 1u);
}

}  // namespace
}  // namespace duoblas

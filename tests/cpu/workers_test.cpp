// The library's own parallel loops, and the processor's topology.
#include "cpu/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cpu/cpu_limits.hpp"
#include "cpu/topology.hpp"
#include "support/comes_true.hpp"

namespace duoblas {
namespace {

TEST(ParallelFor, CoversEveryIndexOnce) {
  for (const std::int64_t count : {1, 2, 3, 1000, 100001}) {
    std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
    parallel_for(count, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++seen[static_cast<std::size_t>(i)];
    });
    for (const auto& times : seen) ASSERT_EQ(times, 1);
  }
}

TEST(ParallelFor, OfNothingCallsNothing) {
  parallel_for(0, [](std::int64_t, std::int64_t) { FAIL(); });
}

TEST(ParallelFor, KeepsToItsThreads) {
  for (const int threads : {1, 2}) {
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    parallel_for(
        100000,
        [&](std::int64_t, std::int64_t) {
          const int now = ++inside;
          int known = most;
          while (now > known && !most.compare_exchange_weak(known, now)) {
          }
          --inside;
        },
        threads);
    EXPECT_LE(most, threads);
    EXPECT_GE(most, 1);
  }
}

TEST(ParallelFor, ThrowsWhatABodyThrows) {
  EXPECT_THROW(parallel_for(1000, [](std::int64_t, std::int64_t) { throw std::runtime_error(""); }),
               std::runtime_error);
}

TEST(HandOut, GivesTheRestToOthersWhileOneThreadIsSlow) {
  constexpr int count = 100;
  std::atomic<int> done{0};
  std::atomic<bool> is_slow{false}, did_the_rest{false};
  hand_out(
      count,
      [&](std::int64_t) {
        if (!is_slow.exchange(true))
          did_the_rest = test::comes_true([&] { return done == count - 1; });
        ++done;
      },
      2);
  EXPECT_TRUE(did_the_rest);
}

TEST(Topology, KnowsTheProcessor) {
  const Topology& found = topology();
  EXPECT_FALSE(found.cpu_model.empty());
  EXPECT_GE(found.packages, 1);
  EXPECT_GE(found.cores, found.packages);
  EXPECT_GE(found.hardware_threads, found.cores);
  EXPECT_GE(found.hardware_threads, static_cast<int>(cpu_limits("", 0).cores.size()));
  EXPECT_EQ(&found, &topology());
}

TEST(Topology, NamesArmCoresByTheirDesigns) {
  const auto model = [](const char* cpuinfo) {
    std::istringstream text(cpuinfo);
    return cpu_model(text);
  };
  const char* const small = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd05\n\n";
  const char* const large = "processor\t: 4\nCPU implementer\t: 0x41\nCPU part\t: 0xd0b\n\n";
  EXPECT_EQ(model(small), "Arm core 0x41:0xd05");
  EXPECT_EQ(model((std::string(small) + small + large + large).c_str()),
            "Arm core 0x41:0xd05 0x41:0xd0b");
  EXPECT_EQ(model("vendor_id\t: Abacus\nmodel name\t: Glass CPU 7\n"), "Glass CPU 7");
  EXPECT_EQ(model(""), "unknown processor");
}

TEST(Topology, ListsKindsOfCoresOnlyWhereTheyDiffer) {
  EXPECT_NE(topology().kinds.size(), 1u);
  for (const CoreKind& kind : topology().kinds) EXPECT_FALSE(kind.cores.empty());
}

}  // namespace
}  // namespace duoblas

// The cores of a thread, set for a scope.
#include <gtest/gtest.h>

#include <thread>

#include "cpu/cpu_limits.hpp"

namespace duoblas {
namespace {

TEST(Affinity, IsTheScopesInsideAndTheOldOneAfterwards) {
  const std::vector<int> before = allowed_cores();
  {
    const ScopedAffinity scope({before.back()});
    EXPECT_EQ(allowed_cores(), std::vector<int>{before.back()});
  }
  EXPECT_EQ(allowed_cores(), before);
}

TEST(Affinity, ScopesNest) {
  const std::vector<int> before = allowed_cores();
  {
    const ScopedAffinity outer({before.front()});
    {
      const ScopedAffinity inner(before);
      EXPECT_EQ(allowed_cores(), before);
    }
    EXPECT_EQ(allowed_cores(), std::vector<int>{before.front()});
  }
  EXPECT_EQ(allowed_cores(), before);
}

TEST(Affinity, IsInheritedByThreadsStartedInside) {
  const std::vector<int> before = allowed_cores();
  std::vector<int> inherited;
  {
    const ScopedAffinity scope({before.back()});
    std::thread([&] { inherited = allowed_cores(); }).join();
  }
  EXPECT_EQ(inherited, std::vector<int>{before.back()});
}

TEST(Affinity, StaysWhereTheListIsEmptyOrTheKernelRefuses) {
  const std::vector<int> before = allowed_cores();
  const ScopedAffinity nothing({});
  EXPECT_EQ(allowed_cores(), before);
  const ScopedAffinity no_such_core({1023});
  EXPECT_EQ(allowed_cores(), before);
  const ScopedAffinity beyond_the_mask({-1, 5000});
  EXPECT_EQ(allowed_cores(), before);
}

}  // namespace
}  // namespace duoblas

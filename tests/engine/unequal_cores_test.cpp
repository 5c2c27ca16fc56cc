// A processor with a slow and a fast core (two_kinds.xml, which hwloc reads in place of this
// machine).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cpu/cpu_limits.hpp"
#include "cpu/topology.hpp"
#include "engine/engine.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

TEST(UnequalCores, TakeTilesAsTheyCanWhereNothingWasTuned) {
  ASSERT_EQ(topology().kinds.size(), 2u);
  const test::TemporaryDirectory no_profiles;
  const std::vector<int> allowed = allowed_cores();
  if (allowed.size() < 2 || allowed[0] != 0 || allowed[1] != 1)
    GTEST_SKIP() << "cores 0 and 1 are not this process's";
  for (const std::string cores : {"", "0,1", "0", "1"}) {
    SCOPED_TRACE("cores " + cores);
    Settings settings;
    settings.strategy = Strategy::hybrid;  // a CPU device will do
    settings.profile_dir = no_profiles.path();
    settings.cpu_cores = cores;
    Engine engine(settings);
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    const bool differ = cores.size() != 1;
    EXPECT_EQ(engine.machine().cpu_for(Precision::s).tiles, differ);
    EXPECT_EQ(engine.machine().cpu_all_for(Precision::d).tiles, differ);
  }
}

}  // namespace
}  // namespace duoblas

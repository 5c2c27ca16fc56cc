// A processor with a slow and a fast core (two_kinds.xml, which hwloc reads in place of this
// machine).
#include <gtest/gtest.h>

#include "cpu/topology.hpp"
#include "engine/engine.hpp"
#include "support/temporary_directory.hpp"

namespace duoblas {
namespace {

TEST(UnequalCores, TakeTilesAsTheyCanWhereNothingWasTuned) {
  ASSERT_EQ(topology().kinds.size(), 2u);
  const test::TemporaryDirectory no_profiles;
  for (const char* const cores : {"0,1", "0", "1"}) {
    Settings settings;
    settings.strategy = Strategy::hybrid;  // a CPU device will do
    settings.profile_dir = no_profiles.path();
    settings.cpu_cores = cores;
    Engine engine(settings);
    ASSERT_NE(engine.gpu(), nullptr) << engine.facts().gpu_problem();
    EXPECT_EQ(engine.machine().cpu_for(Precision::s).tiles, cores == std::string("0,1")) << cores;
  }
}

}  // namespace
}  // namespace duoblas

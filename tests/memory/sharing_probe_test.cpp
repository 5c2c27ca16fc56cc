#include "memory/sharing_probe.hpp"

#include "memory/memory_fixture.hpp"

namespace duoblas {
namespace {

using ProbeTest = test::MemoryFixture;

TEST_F(ProbeTest, FindsThatPoclSharesAtEveryAlignment) {
  const SharingFacts facts = probe_sharing(context, queue);
  if (context.device().info.platform == "Portable Computing Language") {
    EXPECT_TRUE(facts.host_pointer_any);
    EXPECT_TRUE(facts.host_pointer_page);
    EXPECT_EQ(facts.granularity(), 1u);
  }
  EXPECT_TRUE(facts.host_pointer_page || !facts.host_pointer_any);
  if (facts.host_pointer_page) {
    EXPECT_GT(facts.map_seconds, 0);
  }
}

TEST_F(ProbeTest, FindsNothingSharedWhereNothingWorks) {
  cl::Queue none;
  const cl::Context no_context;
  const SharingFacts facts = probe_sharing(no_context, none);
  EXPECT_EQ(facts.granularity(), 0u);
}

}  // namespace
}  // namespace duoblas

// What the probe of shared memory finds on PoCL and on drivers that are made up.
#include "memory/sharing_probe.hpp"

#include "memory/memory_fixture.hpp"

namespace duoblas {
namespace {

using ProbeTest = test::MemoryFixture;

TEST_F(ProbeTest, FindsThatPoclSharesAtEveryAlignment) {
  const SharingFacts facts = probe_sharing(context, queue);
  if (const auto& info = context.device().info;
      info.is_cpu && info.platform == "Portable Computing Language") {
    EXPECT_EQ(facts.granularity(), 1u);
  }
  bool larger_ones = true;
  for (const SharedAlignment& alignment : facts.alignments) {
    EXPECT_TRUE(larger_ones || !alignment.shared) << alignment.bytes;
    EXPECT_EQ(alignment.map_seconds > 0, alignment.shared) << alignment.bytes;
    larger_ones = alignment.shared;
  }
}

TEST(SharingFactsTest, AskForTheSmallestAlignmentThatIsSharedWithAllLargerOnes) {
  SharingFacts facts;
  EXPECT_EQ(facts.granularity(), 0u);
  facts.alignments[0].shared = true;
  EXPECT_EQ(facts.granularity(), 4096u);
  facts.alignments[1].shared = true;
  EXPECT_EQ(facts.granularity(), 64u);
  facts.alignments[3].shared = true;
  EXPECT_EQ(facts.granularity(), 64u);
  for (SharedAlignment& alignment : facts.alignments) alignment.shared = true;
  EXPECT_EQ(facts.granularity(), 1u);
}

TEST_F(ProbeTest, FindsNothingSharedWhereNothingWorks) {
  cl::Queue none;
  const cl::Context no_context;
  const SharingFacts facts = probe_sharing(no_context, none);
  EXPECT_EQ(facts.granularity(), 0u);
}

}  // namespace
}  // namespace duoblas

// Lists and kinds of cores as text.
#include "cli/core_list.hpp"

#include <gtest/gtest.h>

namespace duoblas::cli {
namespace {

TEST(CoreListText, HasRangesWhereNumbersFollowOneAnother) {
  EXPECT_EQ(core_list({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(core_list({5}), "5");
  EXPECT_EQ(core_list({}), "");
}

TEST(CoreFacts, OfPlainCoresAreNone) {
  Topology machine;
  machine.siblings = {{0}, {1}};
  EXPECT_EQ(core_facts(machine), "");
  EXPECT_EQ(core_facts(Topology()), "");
}

TEST(CoreFacts, NameKindsFromTheFastestAndSiblings) {
  Topology machine;
  machine.siblings = {{0, 1}, {2, 3}, {4}, {5}};
  machine.kinds = {{"IntelAtom", 0, {4, 5}}, {"IntelCore", 1, {0, 1, 2, 3}}};
  EXPECT_EQ(core_facts(machine),
            "  kinds of cores, fastest first: 0-3 (IntelCore); 4-5 (IntelAtom)\n"
            "  hardware threads that share a core: 0-1; 2-3\n");
}

}  // namespace
}  // namespace duoblas::cli

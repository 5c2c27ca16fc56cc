#include "engine/learned_parts.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

using Bytes = std::vector<unsigned char>;

TEST(LearnedParts, ReadAsTheyWereWritten) {
  for (const LearnedParts& parts : {LearnedParts{{1, 2, 3}, {4, 5}, {6}}, LearnedParts{{}, {4}, {}},
                                    LearnedParts{{1}, {}, {7, 8}}, LearnedParts{}})
    EXPECT_EQ(learned_parts_from(to_bytes(parts)), parts);
}

TEST(LearnedParts, AreNothingOfAnotherVersionOrDamaged) {
  const Bytes good = to_bytes({{1, 2, 3}, {4, 5}, {6}});
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(learned_parts_from({good.begin(), good.begin() + static_cast<long>(length)}));
  Bytes longer = good;
  longer.push_back(0);
  EXPECT_FALSE(learned_parts_from(longer));
  for (const std::size_t at : {0u, 4u, 8u, 15u, 16u, 23u, 24u}) {  // kind, format, lengths
    Bytes other = good;
    ++other[at];
    EXPECT_FALSE(learned_parts_from(other)) << at;
  }
}

}  // namespace
}  // namespace duoblas

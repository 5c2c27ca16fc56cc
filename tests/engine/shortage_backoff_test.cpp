// Rests after shortages of the device, and when these count as its loss.
#include "engine/shortage_backoff.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

// Calls until one tries the device again.
int rest_of(ShortageBackoff& backoff) {
  int calls = 0;
  while (backoff.rests()) ++calls;
  return calls;
}

TEST(ShortageBackoff, TheNextCallTriesAgainAfterOneShortageOrTwo) {
  ShortageBackoff backoff;
  EXPECT_EQ(rest_of(backoff), 0);
  EXPECT_EQ(backoff.failed(), 1);
  EXPECT_EQ(rest_of(backoff), 0);
  EXPECT_EQ(backoff.failed(), 2);
  EXPECT_EQ(rest_of(backoff), 0);
}

TEST(ShortageBackoff, RestsDoubleUpToABound) {
  ShortageBackoff backoff;
  backoff.failed();
  backoff.failed();
  for (const int rest : {2, 4, 8, 16, 32, 64, 128, 256, 256, 256}) {
    backoff.failed();
    EXPECT_EQ(rest_of(backoff), rest);
  }
}

TEST(ShortageBackoff, ASuccessEndsTheRowAndTheRest) {
  ShortageBackoff backoff;
  for (int i = 0; i < 5; ++i) backoff.failed();
  backoff.succeeded();
  EXPECT_EQ(rest_of(backoff), 0);
  EXPECT_EQ(backoff.failed(), 1);
  EXPECT_EQ(rest_of(backoff), 0);
}

TEST(ShortageBackoff, IsHopelessAfterThreeWaits) {
  ShortageBackoff backoff;
  for (int i = 0; i < 5; ++i) backoff.failed();
  EXPECT_FALSE(backoff.is_hopeless());
  backoff.wait_failed();
  backoff.wait_failed();
  EXPECT_FALSE(backoff.is_hopeless());
  backoff.wait_failed();
  EXPECT_TRUE(backoff.is_hopeless());
  backoff.succeeded();
  EXPECT_FALSE(backoff.is_hopeless());
}

TEST(ShortageBackoff, IsHopelessWhereTheLongestRestWasInVain) {
  ShortageBackoff backoff;
  int rest = 0;
  while (rest < ShortageBackoff::longest_rest) {
    EXPECT_FALSE(backoff.is_hopeless());
    backoff.failed();
    rest = rest_of(backoff);
  }
  EXPECT_FALSE(backoff.is_hopeless());
  backoff.failed();
  EXPECT_TRUE(backoff.is_hopeless());
}

}  // namespace
}  // namespace duoblas

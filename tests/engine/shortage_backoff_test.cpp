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

TEST(ShortageBackoff, ASuccessEndsTheRow) {
  ShortageBackoff backoff;
  for (int i = 0; i < 5; ++i) backoff.failed();
  rest_of(backoff);
  backoff.succeeded();
  EXPECT_EQ(backoff.failed(), 1);
  EXPECT_EQ(rest_of(backoff), 0);
}

}  // namespace
}  // namespace duoblas

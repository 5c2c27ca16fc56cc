#include "dropin/engine/program_activity.hpp"

#include <gtest/gtest.h>

namespace duoblas {
namespace {

TEST(AProgram, RestsIfItHasNotCalledSinceTheLastQuestion) {
  ProgramActivity activity;
  EXPECT_TRUE(activity.rests());
  activity.note();
  EXPECT_FALSE(activity.rests());
  EXPECT_TRUE(activity.rests());
}

TEST(AProgram, DoesNotRestDuringACallNorRightAfterIt) {
  ProgramActivity activity;
  {
    const ProgramActivity::Call call(activity);
    EXPECT_FALSE(activity.rests());
    EXPECT_FALSE(activity.rests()) << "a long call";
  }
  EXPECT_FALSE(activity.rests()) << "another one may follow";
  EXPECT_TRUE(activity.rests());
}

}  // namespace
}  // namespace duoblas

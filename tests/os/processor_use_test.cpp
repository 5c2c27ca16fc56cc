// Who has the processors.
#include "os/processor_use.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <gtest/gtest.h>

namespace duoblas {
namespace {

// This process works until it has had so many seconds of a processor.
void work(double seconds) {
  const ProcessorUse begin = processor_use();
  while (processor_use().own - begin.own < seconds) {
  }
}

TEST(ProcessorUse, OfThisProcessIsItsOwnAndOfAChildIsNot) {
  const ProcessorUse begin = processor_use();
  work(0.1);
  const ProcessorUse alone = processor_use() - begin;
  EXPECT_GE(alone.own, 0.1);
  EXPECT_GE(alone.at, 0.09);
  EXPECT_GE(alone.processors, 1);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    work(0.1);
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_LT((processor_use() - begin).own, alone.own + 0.05);
}

// Whatever else runs here: this child alone has half a processor at least, on a machine with two.
TEST(ProcessorUse, OfAChildThatWorksOnIsThatOfOthers) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  while (child == 0) work(1);
  const ProcessorUse begin = processor_use();
  ::usleep(500'000);
  const ProcessorUse during = processor_use() - begin;
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_GT(processors_of_others(during), 0.2);
  EXPECT_LT(during.own, 0.3);
}

TEST(ProcessorUse, OfOthersIsWhatIsLeftPerSecond) {
  EXPECT_DOUBLE_EQ(processors_of_others({2, 5, 2, 4}), 1.5);
  EXPECT_DOUBLE_EQ(processors_of_others({2, 1.9, 2, 4}), 0);
  EXPECT_DOUBLE_EQ(processors_of_others({}), 0);
  const ProcessorUse sum = ProcessorUse{1, 2, 1, 4} + ProcessorUse{2, 3, 1, 4};
  EXPECT_DOUBLE_EQ(sum.at, 3);
  EXPECT_DOUBLE_EQ(sum.busy, 5);
  EXPECT_DOUBLE_EQ(sum.own, 2);
}

}  // namespace
}  // namespace duoblas

// exit() waits for builds of any thread.
#include "opencl/build_under_way.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <duoblas/error.hpp>

namespace duoblas::cl {
namespace {

std::atomic<bool> begins{false}, ends{false};

void build_in_another_thread() {
  std::thread([] {
    const BuildUnderWay build;
    begins = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    ends = true;
  }).detach();
  while (!begins) std::this_thread::yield();
}

// Stands for the destructors of a compiler.
void expect_end() {
  if (!ends) ::_exit(3);
}

TEST(BuildUnderWay, IsWaitedForByExitOfAThreadThatHasBuilt) {
  EXPECT_EXIT(
      {
        { const BuildUnderWay build; }
        std::atexit(expect_end);
        build_in_another_thread();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(BuildUnderWay, IsWaitedForBeforeHandlersThatAnEarlierBuildRegistered) {
  EXPECT_EXIT(
      {
        std::thread([] {
          const BuildUnderWay build;
          std::atexit(expect_end);
        }).join();
        build_in_another_thread();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(BuildUnderWay, DoesNotBeginWhileTheProgramEnds) {
  EXPECT_EXIT(
      {
        end_builds();
        try {
          const BuildUnderWay build;
        } catch (const DeviceError&) {
          ::_exit(0);
        }
        ::_exit(4);
      },
      testing::ExitedWithCode(0), "");
}

TEST(BuildUnderWay, DoesNotHoldUpTheThreadThatBuilds) {
  EXPECT_EXIT(
      {
        const BuildUnderWay build;
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

// The thread that builds is not in the child.
TEST(BuildUnderWay, DoesNotHoldUpAChild) {
  EXPECT_EXIT(
      {
        { const BuildUnderWay build; }
        begins = false;
        std::thread([] {
          const BuildUnderWay build;
          begins = true;
          for (;;) ::pause();
        }).detach();
        while (!begins) std::this_thread::yield();
        const pid_t child = ::fork();
        if (child == 0) std::exit(5);
        int status = 0;
        ::waitpid(child, &status, 0);
        ::_exit(WEXITSTATUS(status));
      },
      testing::ExitedWithCode(5), "");
}

}  // namespace
}  // namespace duoblas::cl

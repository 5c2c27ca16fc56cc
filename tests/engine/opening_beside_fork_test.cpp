// A call that opens the device while another thread forks.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "engine/dropin_opening.hpp"
#include "os/fork_state.hpp"

namespace duoblas::test {
namespace {

std::atomic<bool> fork_has_begun{false}, is_open{false}, was_open_before_fork{false};

// Long enough for who would not wait.
void let_others_open() {
  fork_has_begun = true;
  for (int i = 0; i < 300 && !is_open; ++i) ::usleep(1000);
  was_open_before_fork = is_open.load();
}

TEST(DropinOpening, WaitsForAForkThatHasBegun) {
  Settings settings;
  settings.device = "none";
  Engine engine(settings);
  watch_forks();
  at_rest_before_fork(let_others_open);
  std::thread forks([] {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(0);
    EXPECT_EQ(::waitpid(child, nullptr, 0), child);
  });
  while (!fork_has_begun) std::this_thread::yield();
  open_at_once(engine, [](Engine&) { is_open = true; });
  forks.join();
  EXPECT_TRUE(is_open);
  EXPECT_FALSE(was_open_before_fork) << "a child would have half a driver";
}

}  // namespace
}  // namespace duoblas::test

// Memory that was registered: held, locked, left.
#include "memory/registered_memory.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "memory/host_memory.hpp"
#include "memory/memory_fixture.hpp"

namespace duoblas::test {
namespace {

using RegisteredMemory = MemoryFixture;

struct Block {
  explicit Block(std::size_t bytes) : bytes(bytes), data(bytes) {
    EXPECT_TRUE(enter_block(data.data(), bytes, BlockOwner::program));
  }
  ~Block() { leave_block(data.data(), BlockOwner::program); }
  std::size_t bytes;
  std::vector<char> data;
};

TEST_F(RegisteredMemory, IsHeldWhollyOrNotAtAll) {
  PageLocks locks(context);
  const Block block(100000);
  EXPECT_TRUE(locks.hold(block.data.data(), block.bytes));
  EXPECT_TRUE(locks.hold(block.data.data() + 50, 1000));
  EXPECT_FALSE(locks.hold(block.data.data() + 1, block.bytes));
  char other[10];
  EXPECT_FALSE(locks.hold(other, 10));
}

TEST_F(RegisteredMemory, IsLeftOnlyWhenNobodyUsesItAnyMore) {
  PageLocks locks(context);
  void* memory = allocate_host(100000);
  EXPECT_FALSE(locks.hold(memory, 100000)) << "used once, it may never be again";
  LockedUse use = locks.hold(memory, 100000);
  ASSERT_TRUE(use);
  std::atomic<bool> left{false};
  std::thread leaver([&] {
    free_host(memory);
    left = true;
  });
  while (is_registered(memory, 1)) std::this_thread::yield();  // the leaver has begun
  EXPECT_FALSE(locks.hold(memory, 1));
  EXPECT_FALSE(left);
  use = LockedUse();
  leaver.join();
  EXPECT_TRUE(left);
}

TEST_F(RegisteredMemory, IsLockedForEachDeviceThatUsesIt) {
  const Block block(5000);
  auto first = std::make_unique<PageLocks>(context);
  PageLocks second(context);
  EXPECT_TRUE(first->hold(block.data.data(), 1));
  first.reset();
  EXPECT_TRUE(second.hold(block.data.data(), 1));
}

TEST_F(RegisteredMemory, IsLeftInAForkedChildWithoutItsUsersAndTheDriver) {
  PageLocks locks(context);
  Block block(100000);
  const LockedUse use = locks.hold(block.data.data(), 10);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    const bool left = leave_block(block.data.data(), BlockOwner::program);
    ::_exit(left && !is_registered(block.data.data(), 1) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace duoblas::test

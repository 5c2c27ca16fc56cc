// Memory of the library's own: aligned, registered, safe in forked children.
#include "memory/host_memory.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <thread>
#include <vector>

#include "memory/registered_memory.hpp"
#include "os/page_advice.hpp"

namespace duoblas {
namespace {

TEST(HostMemory, IsPageAlignedAndPaddedToWholePages) {
  const std::size_t page = page_bytes();
  for (const std::size_t bytes : {std::size_t{1}, page - 1, page, page + 1, std::size_t{1000000}}) {
    auto* memory = static_cast<char*>(allocate_host(bytes));
    ASSERT_NE(memory, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % page, 0u);
    const std::size_t padded = (bytes + page - 1) / page * page;
    std::memset(memory, 1, padded);
    EXPECT_EQ(registered_block_of(memory, bytes), padded);
    free_host(memory);
  }
}

TEST(HostMemory, GivesNothingForNothingAndForMoreThanThereIs) {
  EXPECT_EQ(allocate_host(0), nullptr);
  EXPECT_EQ(allocate_host(std::numeric_limits<std::size_t>::max()), nullptr);
  EXPECT_EQ(allocate_host(std::numeric_limits<std::size_t>::max() / 2), nullptr);
  free_host(nullptr);
}

TEST(HostMemory, KnowsItsBlocksAndOnlyThem) {
  auto* memory = static_cast<char*>(allocate_host(8192));
  EXPECT_EQ(registered_block_of(memory + 100, 8092), 8192u);
  EXPECT_EQ(registered_block_of(memory + 100, 8093), 0u);
  EXPECT_EQ(registered_block_of(memory + 8192, 0), 0u);
  EXPECT_EQ(registered_block_of(memory - 1, 1), 0u);
  int local = 0;
  EXPECT_EQ(registered_block_of(&local, sizeof local), 0u);
  free_host(memory);
  EXPECT_EQ(registered_block_of(memory, 1), 0u);
}

TEST(HostMemory, ServesThreadsAndTheForkedChildrenOfABusyProcess) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      while (!stop) free_host(allocate_host(5000));
    });
  }
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      void* memory = allocate_host(100);
      const bool known = registered_block_of(memory, 100) == page_bytes();
      free_host(memory);
      ::_exit(known ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace duoblas

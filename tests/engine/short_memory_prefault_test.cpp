// Threads that bring pages ahead, where memory is short for one of them and not for those before.
#include <sys/mman.h>

#include <new>
#include <vector>

#include <gtest/gtest.h>

#include "engine/failing_allocations.hpp"
#include "memory/page_prefault.hpp"

namespace duoblas::test {
namespace {

TEST(ShortMemoryForPages, LeavesTheThreadsThatThereAre) {
  constexpr std::size_t page = 4096, pages = 4096;
  void* const memory =
      ::mmap(nullptr, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  const std::vector<HostRect> rows{{memory, pages, page, page, 8}};
  int constructed = 0;
  for (long number = 1; number <= 12; ++number) {
    const ShortMemory is_short(number, true);
    try {
      const PagePrefault ahead(rows, 4);
      ++constructed;
    } catch (const std::bad_alloc&) {
      // Before there was a thread.
    }
  }
  EXPECT_GT(constructed, 0);
  ::munmap(memory, pages * page);
}

}  // namespace
}  // namespace duoblas::test

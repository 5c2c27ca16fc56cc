// Whole pages of this machine: 4, 16 or 64 KiB on 64-bit Arm.
#include "os/page_block.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

namespace duoblas {
namespace {

TEST(PageBlock, BeginsAndEndsAtPagesOfThisMachine) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (const std::size_t bytes : {std::size_t{1}, page - 1, page, page + 1}) {
    const PageBlock block(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % page, 0u);
    EXPECT_EQ(block.bytes(), bytes <= page ? page : 2 * page);
  }
  const std::vector<double, PageAllocator<double>> values(3);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()) % page, 0u);
}

}  // namespace
}  // namespace duoblas

// Windows of host memory: no two that live overlap.
#include "memory/host_windows.hpp"

#include "memory/memory_fixture.hpp"

namespace duoblas {
namespace {

struct WindowsTest : test::MemoryFixture {
  std::vector<char> block = std::vector<char>(4096);
  HostWindows windows;
  std::shared_ptr<const HostWindow> acquire(std::size_t from, std::size_t to, bool read_only) {
    const auto base = reinterpret_cast<std::uintptr_t>(block.data());
    return windows.acquire(context, base + from, base + to, read_only);
  }
};

// A driver may have copied what it was when the first of them was made.
TEST_F(WindowsTest, AreNotGivenToASecondReaderOfTheSameMemory) {
  const auto whole = acquire(0, 1000, true);
  ASSERT_NE(whole, nullptr);
  EXPECT_EQ(acquire(0, 1000, true), nullptr);
  EXPECT_EQ(acquire(100, 900, true), nullptr);
  EXPECT_NE(acquire(1000, 2000, true), nullptr);
}

TEST_F(WindowsTest, NeverOverlap) {
  const auto read = acquire(500, 1000, true);
  EXPECT_EQ(acquire(400, 600, true), nullptr);
  EXPECT_EQ(acquire(600, 700, false), nullptr);
  const auto written = acquire(1000, 2000, false);
  ASSERT_NE(written, nullptr);
  EXPECT_EQ(acquire(1200, 1300, true), nullptr);
  EXPECT_EQ(acquire(1000, 2000, false), nullptr);
}

TEST_F(WindowsTest, AreForgottenWithTheirLastHolder) {
  auto written = acquire(0, 1000, false);
  ASSERT_NE(written, nullptr);
  EXPECT_EQ(acquire(500, 1500, true), nullptr);
  written = nullptr;
  EXPECT_NE(acquire(500, 1500, true), nullptr);
}

}  // namespace
}  // namespace duoblas

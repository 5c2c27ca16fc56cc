// Pages that are touched ahead, and those that are left alone.
#include "memory/page_prefault.hpp"

#include <sys/mman.h>

#include <chrono>
#include <cstring>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/page_advice.hpp"

namespace duoblas {
namespace {

const std::size_t page = page_bytes();

/// New memory, or where that is wanted such as was written.
class Memory {
 public:
  explicit Memory(std::size_t bytes, int protection = PROT_READ | PROT_WRITE)
      : bytes_(bytes),
        data_(static_cast<char*>(
            ::mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    ::madvise(data_, bytes, MADV_NOHUGEPAGE);
  }
  ~Memory() { ::munmap(data_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  char* data() const { return data_; }
  std::size_t pages_there() const {
    std::vector<unsigned char> resident(bytes_ / page);
    EXPECT_EQ(::mincore(data_, bytes_, resident.data()), 0);
    std::size_t there = 0;
    for (const unsigned char one : resident) there += one & 1;
    return there;
  }

 private:
  std::size_t bytes_;
  char* data_;
};

/// Not before Linux 5.14. The emulator of user programs says that it did, and does nothing.
bool kernel_can() {
  constexpr int populate_write = 23;
  const Memory memory(page);
  return ::madvise(memory.data(), page, populate_write) == 0 && memory.pages_there() == 1;
}

/// The first quarter of each row of 16 pages.
HostRect quarters(const Memory& memory, std::size_t rows) {
  return {memory.data(), rows, 4 * page, 16 * page, 8};
}

void wait_for(const Memory& memory, std::size_t pages) {
  for (int i = 0; i < 10000 && memory.pages_there() < pages; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(PrefaultedPages, AreThoseOfTheRowsAndNoOthersAndHoldWhatTheyHeld) {
  if (!kernel_can()) return;
  constexpr std::size_t rows = 100;
  const Memory memory(rows * 16 * page);
  memory.data()[7 * page] = 'x';  // beside a row
  memory.data()[16 * page] = 'y';
  {
    const PagePrefault ahead({quarters(memory, rows)}, 3);
    wait_for(memory, rows * 4 + 1);
  }
  EXPECT_EQ(memory.pages_there(), rows * 4 + 1);
  EXPECT_EQ(memory.data()[7 * page], 'x');
  EXPECT_EQ(memory.data()[16 * page], 'y');
  EXPECT_EQ(memory.data()[32 * page], 0);
}

TEST(PrefaultedPages, AreLeftWhereNobodyNeedsThemAnyMore) {
  constexpr std::size_t rows = 2000;
  const Memory memory(rows * 16 * page);
  { const PagePrefault ahead({quarters(memory, rows)}, 1); }
  EXPECT_LE(memory.pages_there(), rows * 4);
}

TEST(PrefaultedPages, AreBroughtOfMuchNewMemoryOnly) {
  constexpr std::size_t rows = 1024;  // of 16 KiB: 16 MiB
  const Memory fresh(rows * 16 * page), written(rows * 16 * page);
  std::memset(written.data(), 1, rows * 16 * page);
  EXPECT_NE(prefault_of({quarters(fresh, rows / 2), quarters(fresh, rows)}), nullptr);
  EXPECT_EQ(prefault_of({quarters(written, rows)}), nullptr);
  const Memory small(16 * 16 * page);
  EXPECT_EQ(prefault_of({quarters(small, 16)}), nullptr);
  EXPECT_EQ(prefault_of({}), nullptr);
}

TEST(PrefaultedPages, OfMemoryThatCannotBeWrittenAreNothing) {
  const Memory memory(64 * 16 * page, PROT_READ);
  { const PagePrefault ahead({quarters(memory, 64)}, 2); }
  EXPECT_EQ(memory.pages_there(), 0u);
}

}  // namespace
}  // namespace duoblas

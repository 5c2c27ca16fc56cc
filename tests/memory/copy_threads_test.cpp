// Copies by several threads: every byte, nothing beside it, and an end whenever it comes.
#include "memory/copy_threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#include "memory/copy_past_caches.hpp"

namespace duoblas {
namespace {

std::vector<unsigned char> numbered(std::size_t bytes) {
  std::vector<unsigned char> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) values[i] = static_cast<unsigned char>(i * 31 + i / 253);
  return values;
}

TEST(CopyThreads, CopyRowsOfAnyLengthAndPitch) {
  CopyThreads threads(3);
  std::uint64_t all = 0;
  for (const std::size_t rows : {1, 3, 700})
    for (const std::size_t row_bytes : {1, 999, 4096, 300'001}) {
      if (rows * row_bytes > (64u << 20)) continue;
      const std::size_t from_pitch = row_bytes + 13, to_pitch = row_bytes + 7;
      const auto from = numbered(rows * from_pitch);
      std::vector<unsigned char> to(rows * to_pitch, 0), expected = to;
      for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(&expected[row * to_pitch], &from[row * from_pitch], row_bytes);
      threads.copy({to.data(), to_pitch, from.data(), from_pitch, rows, row_bytes});
      EXPECT_TRUE(to == expected) << rows << " rows of " << row_bytes;
      all += rows * row_bytes;
    }
  EXPECT_EQ(threads.bytes(), all);
}

// From and to any byte: lines of a cache, which it writes whole, begin elsewhere.
TEST(CopyPastCaches, CopiesEveryByteAndNothingBesideIt) {
  const auto from = numbered(600);
  for (std::size_t to_first = 0; to_first < 70; ++to_first)
    for (const std::size_t bytes : {0, 1, 63, 64, 65, 127, 200, 513}) {
      std::vector<unsigned char> to(700, 0), expected = to;
      std::memcpy(&expected[to_first], &from[3], bytes);
      copy_past_caches(&to[to_first], &from[3], bytes);
      end_copies_past_caches();
      EXPECT_TRUE(to == expected) << bytes << " bytes to " << to_first;
    }
}

TEST(CopyThreads, DoOtherWorkInPieces) {
  for (const int helpers : {0, 3}) {
    CopyThreads threads(helpers);
    for (const std::size_t count : {0, 1, 2, 500}) {
      std::vector<std::atomic<int>> done(count);
      threads.share(count, [&](std::size_t piece) { ++done[piece]; });
      for (const auto& times : done) EXPECT_EQ(times, 1);
    }
    EXPECT_EQ(threads.bytes(), 0u) << "nothing was copied";
  }
}

// More than can be under way, and others beside them.
TEST(CopyThreads, EndCopiesThatWereStartedInAnyOrder) {
  constexpr std::size_t bytes = 700'001, count = 50;
  const auto from = numbered(bytes + count);
  for (const int helpers : {0, 3}) {
    CopyThreads threads(helpers);
    EXPECT_EQ(threads.have_helpers(), helpers > 0);
    std::vector<std::vector<unsigned char>> to(count, std::vector<unsigned char>(bytes));
    std::vector<CopyThreads::Started> started;
    for (std::size_t i = 0; i < count; ++i)
      started.push_back(threads.start({to[i].data(), bytes, &from[i], bytes, 1, bytes}));
    std::vector<unsigned char> waited_for(bytes);
    threads.copy({waited_for.data(), bytes, from.data(), bytes, 1, bytes});
    EXPECT_EQ(std::memcmp(waited_for.data(), from.data(), bytes), 0);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t odd = i * 7 % count;
      threads.finish(started[odd]);
      EXPECT_TRUE(threads.has_ended(started[odd]));
      EXPECT_EQ(std::memcmp(to[odd].data(), &from[odd], bytes), 0) << odd;
    }
  }
}

TEST(CopyThreads, AreNoneWhereNoneAreAskedFor) {
  const auto from = numbered(1 << 20);
  std::vector<unsigned char> to(from.size());
  for (const int helpers : {0, -1}) {
    CopyThreads threads(helpers);
    threads.copy({to.data(), to.size(), from.data(), from.size(), 1, from.size()});
    EXPECT_TRUE(to == from);
  }
}

// Before they fall asleep, as they do, and after that: a thread that missed the end would keep this
// test from ending.
TEST(CopyThreads, EndWheneverTheyAreToldTo) {
  const auto from = numbered(512 << 10);
  std::vector<unsigned char> to(from.size());
  for (int round = 0; round < 3000; ++round) {
    CopyThreads threads(3);
    threads.copy({to.data(), to.size(), from.data(), from.size(), 1, from.size()});
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(round % 100);
    while (std::chrono::steady_clock::now() < until) continue;
  }
  EXPECT_TRUE(to == from);
}

}  // namespace
}  // namespace duoblas

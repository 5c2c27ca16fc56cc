// Rows that a thread copies, the last ones first: all of them are there, whichever is waited for.
#include "engine/saved_pieces.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "problem/host_rect.hpp"

namespace duoblas::test {
namespace {

/// Rows with gaps between them.
class Rows {
 public:
  Rows(std::size_t rows, std::size_t row_bytes) : rect_{nullptr, rows, row_bytes, row_bytes + 5} {
    memory_.resize(rows * rect_.pitch);
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = static_cast<char>(i % 251);
    rect_.data = memory_.data();
  }
  const HostRect& rect() const { return rect_; }
  const char* row(std::size_t i) const { return memory_.data() + i * rect_.pitch; }
  int wrong_from(std::size_t first, const SavedPieces& kept) const {
    int wrong = 0;
    for (std::size_t row = first; row < rect_.rows; ++row)
      wrong += std::memcmp(static_cast<const char*>(kept.data()) + row * rect_.row_bytes,
                           this->row(row), rect_.row_bytes) != 0;
    return wrong;
  }

 private:
  HostRect rect_;
  std::vector<char> memory_;
};

/// A piece for each.
class SavedRows {
 public:
  explicit SavedRows(const Rows& rows)
      : rows_(rows),
        pieces_(rows.rect().rows * rows.rect().row_bytes, rows.rect().rows,
                [this](std::size_t piece) {
                  const HostRect& rect = rows_.rect();
                  const std::size_t row = rect.rows - 1 - piece;
                  pieces_.keep(row * rect.row_bytes, rows_.row(row), rect.row_bytes);
                }) {}
  void wait_for(std::size_t first) { pieces_.wait_for(rows_.rect().rows - first); }
  int wrong_from(std::size_t first) const { return rows_.wrong_from(first, pieces_); }

 private:
  const Rows& rows_;
  SavedPieces pieces_;
};

TEST(SavedRows, AreThereFromTheRowOnThatIsWaitedFor) {
  for (const auto& [rows, row_bytes] :
       {std::pair<std::size_t, std::size_t>{1, 8}, {7, 1000}, {900, 4000}, {3, 400'000}}) {
    SCOPED_TRACE(rows);
    const Rows original(rows, row_bytes);
    SavedRows kept(original);
    for (const std::size_t first : {rows, rows - 1, rows / 2, rows / 3, std::size_t{0}}) {
      kept.wait_for(first);
      EXPECT_EQ(kept.wrong_from(first), 0);
    }
  }
}

TEST(SavedRows, AreThereWhenAllThreadsThatHelpHaveReturned) {
  const Rows original(900, 40'000);
  for (int time = 0; time < 5; ++time) {
    SavedRows kept(original);
    for (const std::size_t first : {std::size_t{450}, std::size_t{0}}) {
      std::vector<std::thread> helpers;
      for (int i = 0; i < 3; ++i) helpers.emplace_back([&] { kept.wait_for(first); });
      kept.wait_for(first);
      for (std::thread& helper : helpers) helper.join();
      EXPECT_EQ(kept.wrong_from(first), 0);
    }
  }
}

TEST(SavedRows, NeedNotBeWaitedFor) {
  const Rows original(900, 4000);
  for (int time = 0; time < 20; ++time) {
    SavedRows kept(original);
    if (time % 2 == 0) continue;
    kept.wait_for(850);
    EXPECT_EQ(kept.wrong_from(850), 0);
  }
}

TEST(SpareMemory, StaysForTheNextUserWhoNeedsAsMuch) {
  constexpr std::size_t large = std::size_t{40} << 20, small = 1000;
  void *of_large = nullptr, *of_small = nullptr;
  {
    const SpareMemory first(large), second(small);
    of_large = first.data();
    of_small = second.data();
    std::memset(of_large, 1, large);
  }
  const SpareMemory next_small(small), next_large(large), another(large);
  EXPECT_EQ(next_large.data(), of_large);
  EXPECT_EQ(next_small.data(), of_small) << "small users do not take a large block";
  EXPECT_NE(another.data(), of_large);
  std::memset(next_large.data(), 2, large);
}

}  // namespace
}  // namespace duoblas::test

// Which keys a table remembers, and that a new one needs no memory yet.
#include "planner/key_table.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "planner/learner.hpp"
#include "planner/posterior.hpp"

namespace duoblas {
namespace {

using Table = KeyTable<SharedFactor, 4>;

// Keys whose first bits are equal share four places.
constexpr std::uint64_t key(std::uint64_t set, std::uint64_t number) {
  return set << 62 | number;
}

TEST(KeyTable, FindsWhatWasTaken) {
  Table table;
  EXPECT_EQ(table.find(key(1, 5)), nullptr);
  table.find_or_take(key(1, 5), CallKind::streams, 1).factors[0].mean = 2;
  const Table::Place* const found = table.find(key(1, 5));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->key, key(1, 5));
  EXPECT_EQ(found->group, CallKind::streams);
  EXPECT_EQ(found->factors[0].mean, 2);
  EXPECT_EQ(found->factors[1].mean, 0);
  EXPECT_EQ(&table.find_or_take(key(1, 5), CallKind::streams, 2), found);
  EXPECT_EQ(table.find(key(2, 5)), nullptr);
}

TEST(KeyTable, HasNoZero) {
  Table table;
  EXPECT_EQ(table.find(0), nullptr);
}

TEST(KeyTable, ForgetsWhatWasNotUsedForTheLongestTime) {
  Table table;
  for (std::uint64_t number = 1; number <= 4; ++number)
    table.find_or_take(key(3, number), CallKind::products, number).factors[0].mean = 7;
  table.find_or_take(key(3, 1), CallKind::products, 5);
  EXPECT_EQ(table.find_or_take(key(3, 9), CallKind::products, 6).factors[0].mean, 0);
  EXPECT_NE(table.find(key(3, 1)), nullptr);
  EXPECT_EQ(table.find(key(3, 2)), nullptr);
  EXPECT_NE(table.find(key(3, 3)), nullptr);
  EXPECT_NE(table.find(key(3, 4)), nullptr);
  int taken = 0;
  table.for_each([&](const Table::Place&) { ++taken; });
  EXPECT_EQ(taken, 4);
}

TEST(KeyTable, ShowsAllThatAreTakenAndForgetsThem) {
  Table table;
  table.find_or_take(key(2, 7), CallKind::products, 1);
  table.find_or_take(key(0, 3), CallKind::products, 2);
  std::vector<std::uint64_t> seen;
  table.for_each([&](const Table::Place& place) { seen.push_back(place.key); });
  EXPECT_EQ(seen, (std::vector{key(0, 3), key(2, 7)}));
  table.forget_all();
  EXPECT_EQ(table.find(key(2, 7)), nullptr);
  table.for_each([](const Table::Place&) { FAIL(); });
}

// Pages that nobody has written to yet: a short program pays for each that is.
class NewPages {
 public:
  explicit NewPages(std::size_t bytes) : bytes_(bytes) {
    data_ = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(data_, MAP_FAILED);
    ::madvise(data_, bytes, MADV_NOHUGEPAGE);
  }
  ~NewPages() { ::munmap(data_, bytes_); }
  NewPages(const NewPages&) = delete;
  NewPages& operator=(const NewPages&) = delete;

  void* data() const { return data_; }
  std::size_t bytes_written() const {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    std::vector<unsigned char> resident((bytes_ + page - 1) / page);
    EXPECT_EQ(::mincore(data_, bytes_, resident.data()), 0);
    std::size_t bytes = 0;
    for (const unsigned char is_there : resident) bytes += (is_there & 1) * page;
    return bytes;
  }

 private:
  std::size_t bytes_;
  void* data_;
};

TEST(ANewLearner, WritesToAFewOfItsPages) {
  const NewPages pages(sizeof(Learner));
  Learner* const learner = new (pages.data()) Learner;
  EXPECT_FALSE(learner->learned({3, 5, CallKind::products, false}).seen[0]);
  EXPECT_LT(pages.bytes_written(), sizeof(Learner) / 8);
  std::destroy_at(learner);
}

}  // namespace
}  // namespace duoblas

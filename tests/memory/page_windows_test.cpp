// The rules of windows on a driver that shares whole pages only: PoCL, which shares everything,
// told to be one.
#include <sys/mman.h>

#include <algorithm>
#include <numeric>

#include "memory/memory_fixture.hpp"
#include "os/page_advice.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {
namespace {

using test::bind_inputs;
using test::bind_result;
using test::rect;

const std::size_t page = page_bytes(), page_doubles = page / sizeof(double);
constexpr std::size_t rows = 6, columns = 5, ld = 9;

SharingFacts pages_only() {
  SharingFacts facts;
  facts.alignments[0].shared = true;
  return facts;
}

struct PageWindows : test::MemoryFixture {
  OperandMemory pages{context, queue, pages_only()};
  /// Starts at a page, as large as eight.
  std::unique_ptr<double, decltype(&free_host)> block{static_cast<double*>(allocate_host(8 * page)),
                                                      &free_host};
  void SetUp() override { std::iota(block.get(), block.get() + 8 * page_doubles, 1.0); }
  std::vector<double> expected(std::size_t at) const {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        values.push_back(block.get()[at + row * ld + column]);
    return values;
  }
  HostRect at(std::size_t element) const { return rect(block.get() + element, rows, columns, ld); }
  bool are_seen(const BoundInputs& inputs, std::size_t a, std::size_t b) {
    return on_device(inputs.a, rows, columns) == expected(a) &&
           on_device(inputs.b, rows, columns) == expected(b);
  }
};

TEST_F(PageWindows, ReachInputsAtAnyPlaceInAPage) {
  const std::size_t b = 3 * page_doubles + 77;
  const BoundInputs inputs = bind_inputs(pages, at(2), at(b), SharingMode::host_pointer);
  EXPECT_EQ(inputs.a.mode, SharingMode::host_pointer);
  EXPECT_EQ(inputs.b.mode, SharingMode::host_pointer);
  EXPECT_EQ(inputs.a.offset_bytes, 16u);
  EXPECT_EQ(inputs.b.offset_bytes, 77 * sizeof(double));
  EXPECT_TRUE(are_seen(inputs, 2, b));
  EXPECT_EQ(pages.host_copies().staged, 0u);
}

TEST_F(PageWindows, OfNeighboursInAPageAreOneBuffer) {
  const BoundInputs inputs = bind_inputs(pages, at(2), at(100), SharingMode::host_pointer);
  EXPECT_EQ(inputs.a.buffer->raw(), inputs.b.buffer->raw());
  EXPECT_TRUE(are_seen(inputs, 2, 100));
}

TEST_F(PageWindows, OfOverlappingOperandsAreOneBuffer) {
  const std::size_t b = page_doubles - 20;  // reaches into the next page
  const BoundInputs inputs = bind_inputs(pages, at(b - ld), at(b), SharingMode::host_pointer);
  EXPECT_EQ(inputs.a.buffer->raw(), inputs.b.buffer->raw());
  EXPECT_TRUE(are_seen(inputs, b - ld, b));
}

TEST_F(PageWindows, AreOfOneCallWhereTwoHaveAnOperandInCommon) {
  const BoundInputs one =
      bind_inputs(pages, at(0), at(4 * page_doubles + 3), SharingMode::host_pointer);
  const BoundInputs other =
      bind_inputs(pages, at(2 * page_doubles), at(4 * page_doubles + 3), SharingMode::host_pointer);
  EXPECT_EQ(one.b.mode, SharingMode::host_pointer);
  EXPECT_EQ(other.b.mode, SharingMode::staged);
  EXPECT_TRUE(are_seen(other, 2 * page_doubles, 4 * page_doubles + 3));
}

TEST_F(PageWindows, ThatWouldOverlapAnothersPartlyAreCopied) {
  const BoundInputs one = bind_inputs(pages, at(0), at(page_doubles), SharingMode::host_pointer);
  const std::size_t across = 2 * page_doubles - 10;  // from the second page into the third
  const BoundInputs other =
      bind_inputs(pages, at(across), at(5 * page_doubles), SharingMode::host_pointer);
  EXPECT_EQ(other.a.mode, SharingMode::staged);
  EXPECT_EQ(other.b.mode, SharingMode::host_pointer);
  EXPECT_TRUE(are_seen(other, across, 5 * page_doubles));
}

TEST_F(PageWindows, OfMemoryThatWasFreedAndIsUsedAgainShowTheNewValues) {
  { const BoundInputs before = bind_inputs(pages, at(2), at(2), SharingMode::host_pointer); }
  std::iota(block.get(), block.get() + 8 * page_doubles, 5000.0);
  const BoundInputs after = bind_inputs(pages, at(3), at(2), SharingMode::host_pointer);
  EXPECT_EQ(after.a.mode, SharingMode::host_pointer);
  EXPECT_TRUE(are_seen(after, 3, 2));
}

TEST_F(PageWindows, NeverReachPagesOfTheResult) {
  // C is two whole pages; A begins right behind it, B in the page before.
  const HostRect c = rect(block.get() + 2 * page_doubles, 2, page_doubles, page_doubles);
  const BoundResult result = bind_result(pages, c, SharingMode::host_pointer, false);
  EXPECT_EQ(result.operand().mode, SharingMode::host_pointer);
  const std::size_t behind = 4 * page_doubles, before = 2 * page_doubles - 40;
  const BoundInputs inputs = bind_inputs(pages, at(behind), at(before), SharingMode::host_pointer);
  EXPECT_EQ(inputs.a.mode, SharingMode::host_pointer) << "a page of its own";
  EXPECT_EQ(inputs.b.mode, SharingMode::staged) << "its last row is in C's page";
}

TEST_F(PageWindows, NeverReachPagesThatTheHostWritesMeanwhile) {
  const HostRect written = rect(block.get() + 2 * page_doubles + 300, 1, 10, 10);
  const std::size_t same_page = 2 * page_doubles, elsewhere = 5 * page_doubles;
  for (const bool first : {true, false}) {
    const BoundInputs inputs =
        first
            ? bind_inputs(pages, at(same_page), at(elsewhere), SharingMode::host_pointer, written)
            : bind_inputs(pages, at(elsewhere), at(same_page), SharingMode::host_pointer, written);
    EXPECT_EQ((first ? inputs.a : inputs.b).mode, SharingMode::staged);
    EXPECT_EQ((first ? inputs.b : inputs.a).mode, SharingMode::host_pointer);
    EXPECT_TRUE(first ? are_seen(inputs, same_page, elsewhere)
                      : are_seen(inputs, elsewhere, same_page));
  }
}

TEST_F(PageWindows, OfOverlappingOperandsDoNotReachThereEither) {
  // Both together would: A ends before the page, B begins in it.
  const HostRect written = rect(block.get() + 2 * page_doubles + 300, 1, 10, 10);
  const std::size_t a = 2 * page_doubles - 60, b = 2 * page_doubles - 40;
  const BoundInputs inputs = bind_inputs(pages, at(a), at(b), SharingMode::host_pointer, written);
  EXPECT_EQ(inputs.b.mode, SharingMode::staged);
  EXPECT_TRUE(are_seen(inputs, a, b));
}

TEST_F(PageWindows, OfAResultAreExactOrNone) {
  for (const std::size_t from : {std::size_t{0}, std::size_t{2}}) {
    const HostRect c = rect(block.get() + from, 2, page_doubles, page_doubles);
    const BoundResult result = bind_result(pages, c, SharingMode::host_pointer, false);
    EXPECT_EQ(result.operand().mode, from == 0 ? SharingMode::host_pointer : SharingMode::staged);
  }
}

TEST_F(PageWindows, ReachMemoryThatCannotBeWritten) {
  void* mapped =
      ::mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(mapped, MAP_FAILED);
  auto* values = static_cast<double*>(mapped);
  std::copy_n(block.get(), 2 * page_doubles, values);
  ASSERT_EQ(::mprotect(mapped, 2 * page, PROT_READ), 0);
  {
    const HostRect input = rect(values + 3, rows, columns, ld);
    const BoundInputs inputs = bind_inputs(pages, input, input, SharingMode::host_pointer);
    EXPECT_EQ(inputs.a.mode, SharingMode::host_pointer);
    EXPECT_EQ(on_device(inputs.a, rows, columns), expected(3));
  }
  ::munmap(mapped, 2 * page);
}

}  // namespace
}  // namespace duoblas

// The caller's matrices in place and as copies, on a device.
#include "memory/operand_memory.hpp"

#include <duoblas/error.hpp>

#include <array>
#include <cstdint>
#include <numeric>

#include "memory/memory_fixture.hpp"
#include "problem/host_rect.hpp"
#include "support/driver_ability.hpp"

namespace duoblas {
namespace {

using test::bind_inputs;
using test::bind_result;
using test::rect;

constexpr std::size_t rows = 6, columns = 5, ld = 9;

struct OperandTest : test::MemoryFixture {
  std::vector<double> host = std::vector<double>(3 * rows * ld);
  void SetUp() override { std::iota(host.begin(), host.end(), 1.0); }
  bool shares_all() const {
    return test::can_or_tells(context.device().info, memory.facts().granularity() == 1,
                              test::shares_not_all);
  }
  // Rows of host that start at element `at`, densely.
  std::vector<double> expected(std::size_t at) const {
    std::vector<double> values;
    for (std::size_t row = 0; row < rows; ++row) {
      for (std::size_t column = 0; column < columns; ++column) {
        values.push_back(host[at + row * ld + column]);
      }
    }
    return values;
  }
};

TEST_F(OperandTest, InputsAreSeenByTheDeviceInBothModes) {
  for (const SharingMode mode : {SharingMode::host_pointer, SharingMode::staged}) {
    const auto a = rect(host.data() + 1, rows, columns, ld);
    const auto b = rect(host.data() + 2 * rows * ld, rows, columns, ld);
    const BoundInputs inputs = bind_inputs(memory, a, b, mode);
    EXPECT_EQ(on_device(inputs.a, rows, columns), expected(1));
    EXPECT_EQ(on_device(inputs.b, rows, columns), expected(2 * rows * ld));
    if (shares_all()) {
      EXPECT_EQ(inputs.a.mode, mode);
    }
  }
}

TEST_F(OperandTest, ACopysRowsStartAsFarApartAsIsAskedFor) {
  const BoundOperand copy = memory.staged_input(rect(host.data() + 1, rows, columns, ld), 64);
  EXPECT_EQ(copy.pitch_bytes, 64u);
  EXPECT_EQ(on_device(copy, rows, columns), expected(1));
}

TEST_F(OperandTest, OverlappingInputsAreOneBuffer) {
  const auto a = rect(host.data(), rows, columns, ld);
  const auto b = rect(host.data() + 3 * ld, rows, columns, ld);
  const BoundInputs inputs = bind_inputs(memory, a, b, SharingMode::host_pointer);
  if (shares_all()) {
    EXPECT_EQ(inputs.a.buffer->raw(), inputs.b.buffer->raw());
  }
  EXPECT_EQ(on_device(inputs.a, rows, columns), expected(0));
  EXPECT_EQ(on_device(inputs.b, rows, columns), expected(3 * ld));
}

TEST_F(OperandTest, InputsBetweenTheRowsOfTheResultAreInItsWindow) {
  if (!shares_all()) return;
  // Columns of one matrix are read while others are written; A begins before C.
  const HostRect c = rect(host.data() + 3, rows, 2, ld), a = rect(host.data(), rows, 3, ld),
                 b = rect(host.data() + 5, 3, 4, ld);
  const auto result = memory.result_in_place(c, std::array{a, b, a});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->operand().offset_bytes, 3 * sizeof(double));
  const BoundInputs inputs = memory.inputs_in_place(a, b, &*result);
  ASSERT_TRUE(inputs.a.buffer && inputs.b.buffer);
  EXPECT_EQ(inputs.a.buffer->raw(), result->operand().buffer->raw());
  EXPECT_EQ(inputs.b.buffer->raw(), result->operand().buffer->raw());
  EXPECT_EQ(on_device(inputs.b, 3, 4),
            std::vector<double>({6, 7, 8, 9, 15, 16, 17, 18, 24, 25, 26, 27}));
}

TEST_F(OperandTest, TheResultsWindowNeverReachesWhatTheHostWrites) {
  if (!shares_all()) return;
  const HostRect c = rect(host.data() + 3, 2, 2, ld), a = rect(host.data(), rows, 3, ld),
                 written = rect(host.data() + 2 * ld + 3, 2, 2, ld);
  const auto result = memory.result_in_place(c, std::array{a}, std::array{written});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->operand().offset_bytes, 0u);
  EXPECT_FALSE(memory.inputs_in_place(a, a, &*result, std::array{written}).a.buffer)
      << "it is to be copied";
}

// Another's bytes between the rows share cache lines with the device's.
TEST_F(OperandTest, WhereDeviceAndHostAreNotCoherentAResultWithGapsIsCopied) {
  SharingFacts facts;
  for (SharedAlignment& alignment : facts.alignments) alignment.shared = true;
  facts.coherent = false;
  OperandMemory lines(context, queue, facts);
  constexpr std::size_t line = 8;  // doubles
  auto* first =
      reinterpret_cast<double*>((reinterpret_cast<std::uintptr_t>(host.data()) + 63) / 64 * 64);
  EXPECT_TRUE(lines.result_in_place(rect(first, 4, line, line)));
  EXPECT_FALSE(lines.result_in_place(rect(first, 4, line, 2 * line)));
  EXPECT_FALSE(lines.result_in_place(rect(first + 1, 4, line, line)));
}

TEST_F(OperandTest, ElementsThatTheKernelCouldNotAddressAreStaged) {
  auto* odd = reinterpret_cast<char*>(host.data()) + 4;
  HostRect a = rect(reinterpret_cast<double*>(odd), rows, columns, ld);
  const BoundInputs inputs = bind_inputs(memory, a, a, SharingMode::host_pointer);
  EXPECT_EQ(inputs.a.mode, SharingMode::staged);
  EXPECT_EQ(inputs.a.offset_bytes % sizeof(double), 0u);
}

TEST_F(OperandTest, OperandsWithoutElementsAreBoundToo) {
  const auto none = rect(host.data(), 0, columns, ld);
  for (const SharingMode mode : {SharingMode::host_pointer, SharingMode::staged}) {
    const BoundInputs inputs = bind_inputs(memory, none, none, mode);
    EXPECT_TRUE(*inputs.a.buffer);
    BoundResult result = bind_result(memory, none, mode, true);
    EXPECT_NO_THROW(result.publish());
  }
}

TEST_F(OperandTest, TheResultReachesExactlyItsOwnBytes) {
  for (const SharingMode mode : {SharingMode::host_pointer, SharingMode::staged}) {
    for (const bool keep_old : {false, true}) {
      SetUp();
      const std::vector<double> before = host;
      BoundResult result =
          bind_result(memory, rect(host.data() + 2, rows, columns, ld), mode, keep_old);
      if (keep_old) {
        EXPECT_EQ(on_device(result.operand(), rows, columns), expected(2));
      }
      overwrite(result.operand(), rows, columns, -1);
      if (result.operand().mode == SharingMode::staged) {
        EXPECT_EQ(host, before) << "before publish";
      }
      result.publish();
      for (std::size_t at = 0; at < host.size(); ++at) {
        const bool inside = at >= 2 && at < 2 + rows * ld && (at - 2) % ld < columns;
        EXPECT_EQ(host[at], inside ? -1 : before[at]) << at;
      }
    }
  }
}

TEST_F(OperandTest, RestoreGivesTheOldValuesBackWhereTheyAreNeeded) {
  for (const SharingMode mode : {SharingMode::host_pointer, SharingMode::staged}) {
    SetUp();
    const std::vector<double> before = host;
    BoundResult result = bind_result(memory, rect(host.data() + 2, rows, columns, ld), mode, true);
    overwrite(result.operand(), rows, columns, -1);
    result.restore();
    EXPECT_EQ(host, before);
  }
}

TEST_F(OperandTest, MoreThanTheDeviceCanAllocateIsRefusedWithoutTouchingIt) {
  HostRect huge = rect(host.data(), 1, 1, 1);
  huge.row_bytes = huge.pitch = std::size_t{1} << 44;
  for (const SharingMode mode : {SharingMode::host_pointer, SharingMode::staged}) {
    try {
      bind_result(memory, huge, mode, false);
      FAIL() << "it was bound";
    } catch (const DeviceError& error) {
      EXPECT_NE(std::string(error.what()).find("can allocate at once"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace duoblas

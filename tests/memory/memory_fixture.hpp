// A device with its operand memory, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "memory/operand_memory.hpp"
#include "problem/host_rect.hpp"
#include "support/first_device.hpp"

namespace duoblas::test {

struct MemoryFixture : testing::Test {
  cl::Context context{first_device()};
  cl::Queue queue{context};
  OperandMemory memory{context, queue};

  /// The operand's rows as the device holds them.
  std::vector<double> on_device(const BoundOperand& operand, std::size_t rows,
                                std::size_t columns) {
    std::vector<double> values(rows * columns);
    const std::size_t width = columns * sizeof(double);
    queue.read(*operand.buffer, values.data(),
               {rows, width, width, operand.pitch_bytes, operand.offset_bytes});
    return values;
  }
  /// Plays the kernel: every element of the bound C becomes `value`.
  void overwrite(const BoundOperand& operand, std::size_t rows, std::size_t columns, double value) {
    const std::vector<double> values(rows * columns, value);
    const std::size_t width = columns * sizeof(double);
    queue.write(*operand.buffer, values.data(),
                {rows, width, width, operand.pitch_bytes, operand.offset_bytes}, true);
  }
};

inline HostRect rect(double* data, std::size_t rows, std::size_t columns, std::size_t ld) {
  return {data, rows, columns * sizeof(double), ld * sizeof(double), sizeof(double)};
}

}  // namespace duoblas::test

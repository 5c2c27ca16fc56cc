// A device with its operand memory, for the tests of this folder.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "memory/operand_memory.hpp"
#include "problem/host_rect.hpp"
#include "support/first_device.hpp"

namespace duoblas::test {

/// Binds C in place where that is asked for and can be, else staged; `keep_old`: beta != 0.
inline BoundResult bind_result(OperandMemory& memory, const HostRect& c, SharingMode mode,
                               bool keep_old) {
  auto in_place = copies(mode) ? std::nullopt : memory.result_in_place(c);
  BoundResult result = in_place ? std::move(*in_place) : memory.staged_result(c);
  result.begin(keep_old);
  return result;
}

/// The same for A and B, of a product that has nothing to do with any result.
inline BoundInputs bind_inputs(OperandMemory& memory, const HostRect& a, const HostRect& b,
                               SharingMode mode, const HostRect& written = {}) {
  BoundInputs inputs;
  if (!copies(mode)) inputs = memory.inputs_in_place(a, b, nullptr, std::array{written});
  if (!inputs.a.buffer) inputs.a = memory.staged_input(a, a.row_bytes);
  if (!inputs.b.buffer) inputs.b = memory.staged_input(b, b.row_bytes);
  return inputs;
}

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

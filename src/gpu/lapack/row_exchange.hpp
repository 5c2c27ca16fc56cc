// The row swaps of an LU panel on the device (kernels/exchange.cl).
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "memory/bound_operand.hpp"
#include "problem/lapack_problem.hpp"

namespace duoblas {

/// The combined effect of exchanging rows first + i with rows pivots[i] - 1, one after another.
/// `moves` has three parts: for each of the panel's rows the row whose contents it gets; then each
/// other row that changes; then where the contents of each of those were.
struct RowMoves {
  std::int64_t width = 0, count = 0;
  std::vector<std::int32_t> moves;  ///< width + 2 count numbers
};
RowMoves row_moves(std::int64_t first, std::int64_t width, const std::int32_t* pivots);

/// The largest width of a panel.
inline constexpr std::int64_t most_exchanged = 256;

struct ExchangeOperands {
  BoundOperand matrix;  ///< its rows are LU's columns, counted from the first row
  BoundOperand pivots;  ///< gets the panel's rows
  const cl::Buffer* moves = nullptr;
  std::size_t moves_offset = 0;  ///< in ints
};

/// Whether the routine swaps rows on the device.
bool exchanges_rows(const LapackProblem& p);
/// The program, which is built and tried before a call uses it.
TriedProgram exchange_program(const TargetDevice& device, Precision precision);
/// Builds and tries it in the call. \throws DeviceError.
void prepare_exchange(OpenedDevice& device, Precision precision);
/// Enqueues; a product follows, which is flushed. `rows` of the matrix. The caller holds the
/// device's mutex. \throws DeviceError.
cl::Event submit_exchange(OpenedDevice& device, Precision precision, std::int64_t rows,
                          const RowMoves& moves, const ExchangeOperands& operands);

}  // namespace duoblas

#include "gpu/operand_guard.hpp"

#include <algorithm>
#include <cstdint>

#include "gpu/kernel_arguments.hpp"

namespace duoblas {

cl::Event check_operands(OpenedDevice& device, const GemmProblem& problem,
                         const ProductOperands& operands, const Ticket& ticket) {
  // Enough work-items to fill a large GPU, each with several rows to read at a time.
  constexpr std::size_t group = 128, columns_each = 4, down = 2 * 256;
  // Of complex elements both parts are looked at: a row has twice as many numbers.
  const std::int64_t numbers = is_complex(problem.precision) ? 2 : 1;
  const std::int64_t columns_a = numbers * stored_cols_a(problem);
  const std::int64_t columns_b = numbers * stored_cols_b(problem);
  const auto columns = static_cast<std::size_t>(std::max(columns_a, columns_b));
  cl::Kernel& kernel = device.kernels.guard();
  KernelArguments(kernel, Precision::s)
      .size(stored_rows_a(problem))
      .size(columns_a)
      .operand(operands.a)
      .size(stored_rows_b(problem))
      .size(columns_b)
      .operand(operands.b)
      .buffer(*ticket.flag)
      .size(ticket.number);
  return device.queue.enqueue(
      kernel,
      {{(columns + columns_each * group - 1) / (columns_each * group) * group, down}, {group, 1}});
}

}  // namespace duoblas

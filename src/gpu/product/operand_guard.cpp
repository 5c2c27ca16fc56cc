#include "gpu/product/operand_guard.hpp"

#include <algorithm>
#include <cstddef>

#include "gpu/kernels/kernel_arguments.hpp"

namespace duoblas {

cl::Event check_operands(OpenedDevice& device, const GemmProblem& problem,
                         const ProductOperands& operands, const Ticket& ticket) {
  // Enough work-items to fill a large GPU, each with several rows to read at a time.
  constexpr std::size_t group = 128, columns_each = 4, down = 2 * 256;
  const auto columns =
      static_cast<std::size_t>(std::max(stored_cols_a(problem), stored_cols_b(problem)));
  cl::Kernel& kernel = device.kernels.guard();
  KernelArguments(kernel, problem.precision)
      .size(stored_rows_a(problem))
      .size(stored_cols_a(problem))
      .operand(operands.a)
      .size(stored_rows_b(problem))
      .size(stored_cols_b(problem))
      .operand(operands.b)
      .buffer(*ticket.flag)
      .size(ticket.number);
  return device.queue.enqueue(
      kernel,
      {{(columns + columns_each * group - 1) / (columns_each * group) * group, down}, {group, 1}});
}

}  // namespace duoblas

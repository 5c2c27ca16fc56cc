// The search for numbers that do not suit an opt-in arithmetic (kernels/guard.cl).
#pragma once

#include "gpu/device/opened_device.hpp"
#include "gpu/product/product.hpp"

namespace duoblas {

/// Where the answer is, and the number with which it says that operands do not suit.
struct Ticket {
  const cl::Buffer* flag = nullptr;
  int number = 0;
};

/// Enqueues the kernel that looks at A and B, which are of floats: complex ones are packed, and
/// packing looks at them. The caller holds the device's mutex.
cl::Event check_operands(OpenedDevice& device, const GemmProblem& problem,
                         const ProductOperands& operands, const Ticket& ticket);

}  // namespace duoblas

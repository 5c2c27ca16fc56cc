// The OpenCL source of a kernel and the options it is built with.
#pragma once

#include <string>

#include <duoblas/types.hpp>

#include "plan/kernel_params.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// What is compiled: one program with the kernels `gemm`, `pack_a` and `pack_b`.
struct KernelVariant {
  KernelParams params;
  Precision precision = Precision::s;
  Op op_a = Op::none;
  Op op_b = Op::none;

  friend bool operator==(const KernelVariant&, const KernelVariant&) = default;
};

/// Whether the kernel takes the operand packed: as the parameters say, and always where its family
/// cannot read this op in place.
bool packs_a(const KernelVariant& variant);
bool packs_b(const KernelVariant& variant);

/// The family's source, complete. Embedded, or read from `kernel_dir` when that is not empty.
/// \throws DeviceError naming a file that cannot be read.
std::string kernel_source(const KernelParams& params, const std::string& kernel_dir);

/// The -D flags of the variant, and what the compiler must be told besides.
std::string kernel_options(const KernelVariant& variant);

}  // namespace duoblas

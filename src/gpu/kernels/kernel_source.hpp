// The OpenCL source of a kernel and its build options.
#pragma once

#include <string>
#include <vector>

#include <duoblas/types.hpp>

#include "kernel_space/kernel_fields.hpp"
#include "problem/precision.hpp"

namespace duoblas {

/// Whether a product always runs, or only if the operands were found to suit its arithmetic
/// (kernels/guard.cl), or only if they were not.
enum class Guard { none, if_suited, if_not };

/// How the rows of operands that are read in place lie in memory: anyhow; each starting at a
/// multiple of 16 bytes; or each also ending at one.
enum class Rows { anyhow, aligned, whole };

/// Whether a launch computes many products, and where their operands lie: at equal distances, or at
/// offsets in a table. The numbers are BATCHED of kernels/types.clh.
enum class Batching { none, strided, table };

/// What is compiled: one program with the kernels `gemm`, `pack_a`, `pack_b` and `reduce`.
struct KernelVariant {
  KernelParams params;
  Precision precision = Precision::s;
  Op op_a = Op::none;
  Op op_b = Op::none;
  Guard guard = Guard::none;
  Rows rows = Rows::whole;
  int n = 0, k = 0;  ///< compiled-in sizes; 0: they are arguments
  Batching batching = Batching::none;
  int m = 0;  ///< compiled in with n and k where `batching` is any: no partition changes it

  friend bool operator==(const KernelVariant&, const KernelVariant&) = default;
};

/// The variant that is compiled for these ops: fields without effect are the same in all equal
/// kernels, and a real type's conjugate transpose becomes its transpose.
KernelVariant normalised(KernelVariant variant);

/// Whether the kernel takes the operand packed: if the parameters say so, or if its family cannot
/// read this op in place.
bool packs_a(const KernelVariant& variant);
bool packs_b(const KernelVariant& variant);

/// Whether packing looks at the operands and marks the flag, so that no guard has to
/// (PACKING_MARKS of kernels/types.clh).
bool packing_marks(const KernelVariant& variant);
/// Whether products with this kernel launch kernel `guard`.
bool needs_guard(const KernelParams& params);

/// Names all files of kernels/, as they are: another text has another name. `kernel_dir` is never
/// looked at: what it has, may change.
std::string sources_of_kernels(const std::string& kernel_dir);

/// A file of kernels/, whole.
struct KernelFile {
  std::string name;
  std::string text;
};

/// The files of the variant's source, in order.
std::vector<std::string> file_names(const KernelParams& params);
/// The same with their texts. They are embedded, or read from `kernel_dir` if that is not empty.
/// \throws DeviceError naming a file that cannot be read.
std::vector<KernelFile> kernel_files(const KernelParams& params, const std::string& kernel_dir);

/// The variant's complete source: these files, one after another. \throws like kernel_files.
std::string kernel_source(const KernelParams& params, const std::string& kernel_dir);

/// Files of kernels/, one after another; `kernel_dir` and \throws as for kernel_files.
std::string joined_source(const std::vector<std::string>& files, const std::string& kernel_dir);

/// The sources of the kernels that probe a device.
std::string probe_source(const std::string& kernel_dir);
std::string wide_probe_source(const std::string& kernel_dir);

/// The source of kernel `peak`, which measures the device's peak rate; `unit`: by its
/// instructions.
std::string peak_source(const std::string& kernel_dir, MatrixUnit unit);

/// The -D flags of the variant, which include the table's macros, and further compiler options.
std::string kernel_options(const KernelVariant& variant, KernelTable table = kernel_fields());

}  // namespace duoblas

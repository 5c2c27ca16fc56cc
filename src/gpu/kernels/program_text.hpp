// What is compiled for a variant of gemm, or for a routine beside it, and what comes of it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/kernels/kernel_source.hpp"
#include "gpu/kernels/kernel_verifier.hpp"
#include "opencl/handles.hpp"

namespace duoblas {

/// The options of a routine's program: OpenCL C 1.2, and -D flags in the order of their definition.
class ProgramOptions {
 public:
  ProgramOptions() = default;
  /// Of programs that compute with vectors of so many elements (kernels/types.clh).
  ProgramOptions(Precision precision, int vector_width);
  ProgramOptions& define(std::string_view name, std::string_view value);
  ProgramOptions& define(std::string_view name, std::int64_t value) {
    return define(name, std::to_string(value));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_ = "-cl-std=CL1.2";
};

/// Files of kernels/ one after another, with these options.
struct ProgramText {
  std::string name;                  ///< "dgemv n, v2 128x1 ...": for people
  std::vector<std::string> files;    ///< of kernels/, in their order
  std::string options;               ///< -D flags
  std::vector<std::string> kernels;  ///< those that are wanted of it
  /// Work-items per group of each, which the device must launch; empty: as many as it allows.
  std::vector<std::size_t> group_items = {};
  /// Of a product by integers: its launches depend on it.
  KernelParams params = {};
};

struct BuiltProgram {
  cl::Program program;
  std::map<std::string, cl::Kernel, std::less<>> kernels;
  KernelParams params = {};  ///< as in ProgramText

  /// \throws DeviceError if it is none of ProgramText::kernels.
  cl::Kernel& kernel(std::string_view name);
};

/// The program of a variant: kernels `gemm`, and where the variant needs them `pack_a`, `pack_b`
/// and `reduce`. \throws DeviceError if the kernel breaks a rule. \pre the variant is normalised().
ProgramText text_of(const KernelVariant& variant);
/// The program of kernel `guard`.
ProgramText guard_text();

/// `kernel_dir` as for kernel_files(). \throws DeviceError naming a file that cannot be read.
KernelIdentity identity_of(const ProgramText& program, const std::string& kernel_dir);

}  // namespace duoblas

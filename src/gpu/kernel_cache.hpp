// Kernels made ready in this process: each variant is built once, whether it builds or not.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/kernel_source.hpp"
#include "opencl/handles.hpp"
#include "opencl/program_cache.hpp"

namespace duoblas {

struct BuiltKernels {
  cl::Program program;
  cl::Kernel product;
  cl::Kernel pack_a;  ///< empty where the variant reads A in place
  cl::Kernel pack_b;
  cl::Kernel reduce;  ///< empty where k is not split
};

/// Not thread-safe: kernel objects have one owner at a time in OpenCL.
class KernelCache {
 public:
  KernelCache(const cl::Context& context, const std::string& cache_dir,
              const std::string& kernel_dir);

  /// \throws DeviceError; a variant that failed once fails at once from then on, alike.
  BuiltKernels& get(const KernelVariant& variant);

  std::size_t size() const { return entries_.size(); }

  /// Kernel `guard` (kernels/guard.cl). \throws DeviceError.
  cl::Kernel& guard();

  /// Why compiled kernels are not kept on disk; empty where they are, or nobody asked for it.
  const std::string& disk_problem() const { return programs_.problem(); }

 private:
  struct Entry {
    KernelVariant variant;
    BuiltKernels kernels;
    std::string failure;  ///< empty: it was built
    int failure_code = 0;
  };
  BuiltKernels build(const KernelVariant& variant);

  const cl::Context& context_;
  cl::ProgramCache programs_;
  std::string kernel_dir_;
  std::vector<std::unique_ptr<Entry>> entries_;
  cl::Program guard_program_;
  cl::Kernel guard_;
};

}  // namespace duoblas

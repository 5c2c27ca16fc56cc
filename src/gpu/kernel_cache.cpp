#include "gpu/kernel_cache.hpp"

#include <algorithm>

#include <duoblas/error.hpp>

namespace duoblas {

KernelCache::KernelCache(const cl::Context& context, const std::string& cache_dir,
                         const std::string& kernel_dir)
    : context_(context), programs_(cache_dir), kernel_dir_(kernel_dir) {}

BuiltKernels KernelCache::build(const KernelVariant& variant) {
  const std::string source = kernel_source(variant.params, kernel_dir_);
  BuiltKernels kernels;
  kernels.program = programs_.build(context_, source, kernel_options(variant));
  kernels.product = kernels.program.kernel("gemm");
  if (packs_a(variant)) kernels.pack_a = kernels.program.kernel("pack_a");
  if (packs_b(variant)) kernels.pack_b = kernels.program.kernel("pack_b");
  if (variant.params.k_split > 1) kernels.reduce = kernels.program.kernel("reduce");
  return kernels;
}

BuiltKernels& KernelCache::get(const KernelVariant& variant) {
  auto found = std::find_if(entries_.begin(), entries_.end(),
                            [&](const auto& entry) { return entry->variant == variant; });
  if (found == entries_.end()) {
    auto entry = std::make_unique<Entry>();
    entry->variant = variant;
    try {
      entry->kernels = build(variant);
    } catch (const DeviceError& error) {
      entry->failure = error.what();
      entry->failure_code = error.code();
    }
    found = entries_.insert(entries_.end(), std::move(entry));
  }
  Entry& entry = **found;
  if (!entry.failure.empty()) throw DeviceError(entry.failure, entry.failure_code);
  return entry.kernels;
}

cl::Kernel& KernelCache::guard() {
  if (!guard_) {
    guard_program_ = programs_.build(context_, guard_source(kernel_dir_), "-cl-std=CL1.2");
    guard_ = guard_program_.kernel("guard");
  }
  return guard_;
}

}  // namespace duoblas

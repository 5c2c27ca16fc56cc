#include "gpu/kernel_cache.hpp"

#include <algorithm>
#include <exception>
#include <utility>

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

std::unique_ptr<KernelCache::Entry> KernelCache::built_entry(const KernelVariant& variant) {
  auto entry = std::make_unique<Entry>();
  entry->variant = variant;
  try {
    entry->kernels = build(variant);
  } catch (const DeviceError& error) {
    entry->failure = error.what();
    entry->failure_code = error.code();
  }
  return entry;
}

KernelCache::Entry* KernelCache::found(const KernelVariant& variant) const {
  const auto place =
      std::ranges::find_if(entries_, [&](const auto& entry) { return entry->variant == variant; });
  return place == entries_.end() ? nullptr : place->get();
}

KernelCache::Entry* KernelCache::find(const KernelVariant& variant) const {
  const std::lock_guard lock(mutex_);
  return found(variant);
}

// Two threads may have built the same: what is there may be in use already.
KernelCache::Entry& KernelCache::keep(std::unique_ptr<Entry> entry) {
  const std::lock_guard lock(mutex_);
  if (Entry* there = found(entry->variant)) return *there;
  return *entries_.emplace_back(std::move(entry));
}

BuiltKernels& KernelCache::get(const KernelVariant& variant) {
  Entry* const there = find(variant);
  Entry& entry = there != nullptr ? *there : keep(built_entry(variant));
  if (!entry.failure.empty()) throw DeviceError(entry.failure, entry.failure_code);
  return entry.kernels;
}

bool KernelCache::has(const KernelVariant& variant) const {
  return find(variant) != nullptr;
}

void KernelCache::prepare(const KernelVariant& variant,
                          const std::function<void(BuiltKernels&)>& rehearse) noexcept {
  try {
    if (has(variant)) return;
    auto entry = built_entry(variant);
    try {
      if (entry->failure.empty()) rehearse(entry->kernels);
    } catch (const std::exception&) {
      // The product itself will find out, and has somebody to tell.
    }
    keep(std::move(entry));
  } catch (const std::exception&) {
    // Short memory: get() builds it.
  }
}

std::size_t KernelCache::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

cl::Kernel& KernelCache::guard() {
  if (!has_guard()) {
    auto built = std::make_unique<GuardKernel>();
    built->program = programs_.build(context_, guard_source(kernel_dir_), "-cl-std=CL1.2");
    built->kernel = built->program.kernel("guard");
    const std::lock_guard lock(mutex_);
    if (!guard_) guard_ = std::move(built);
  }
  const std::lock_guard lock(mutex_);
  return guard_->kernel;
}

bool KernelCache::has_guard() const {
  const std::lock_guard lock(mutex_);
  return guard_ != nullptr;
}

}  // namespace duoblas

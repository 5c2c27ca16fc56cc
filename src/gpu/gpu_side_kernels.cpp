// The kernels of a GpuSide: which are built, tried, refused or wrong.
#include <algorithm>
#include <cstdint>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/product/batched_product.hpp"
#include "gpu/product/product.hpp"
#include "kernel_space/batched_kernels.hpp"

namespace duoblas {
namespace {

// The variants of all groups.
std::vector<KernelVariant> variants_for(const OpenedDevice& device, const BatchProblem& part,
                                        SharingMode operands) {
  std::vector<KernelVariant> variants;
  for (const BatchGroup& group : part.groups) {
    if (group.empty() || group.shape.only_scales_c()) continue;
    const KernelParams wanted = batched_kernel(group.shape, device.limits);
    const KernelParams kernel = launchable(device, wanted, group.shape.precision).value_or(wanted);
    for (const KernelVariant& variant :
         batched_variants_for(device, group.shape, kernel, copies(operands)))
      if (std::ranges::find(variants, variant) == variants.end()) variants.push_back(variant);
  }
  return variants;
}

}  // namespace

void GpuSide::prepare(const KernelParams& kernel, Precision precision, Op op_a, Op op_b) {
  const std::lock_guard guard(device()->mutex);
  prepare_product(*device(), kernel, precision, op_a, op_b, Rows::whole);
}

bool GpuSide::has_kernels(const GemmProblem& part, const KernelParams& kernel,
                          SharingMode operands) const {
  const OpenedDevice& opened = *device();
  if (part.empty() || part.only_scales_c()) return true;
  if (needs_guard(kernel) && !opened.kernels.has_guard()) return false;
  return std::ranges::all_of(
      variants_for(opened, part, kernel, operands),
      [&](const KernelVariant& variant) { return opened.kernels.has(variant); });
}

bool GpuSide::needs_trials(const GemmProblem& part, const KernelParams& kernel,
                           SharingMode operands) const {
  const OpenedDevice& opened = *device();
  if (opened.kernels.verifier() == nullptr || part.empty() || part.only_scales_c()) return false;
  return std::ranges::any_of(
      variants_for(opened, part, kernel, operands),
      [&](const KernelVariant& variant) { return opened.kernels.needs_trial(variant); });
}

void GpuSide::build_kernels(const GemmProblem& part, const KernelParams& kernel,
                            SharingMode operands) noexcept {
  OpenedDevice& opened = *device();
  try {
    if (needs_guard(kernel)) opened.kernels.guard();
    for (const KernelVariant& variant : variants_for(opened, part, kernel, operands))
      opened.kernels.prepare(variant);
  } catch (const std::exception&) {
    // The product builds it, or reports why it cannot.
  }
}

bool GpuSide::has_kernels(const BatchProblem& part, SharingMode operands) const {
  const OpenedDevice& opened = *device();
  return std::ranges::all_of(
      variants_for(opened, part, operands),
      [&](const KernelVariant& variant) { return opened.kernels.has(variant); });
}

bool GpuSide::needs_trials(const BatchProblem& part, SharingMode operands) const {
  const OpenedDevice& opened = *device();
  if (opened.kernels.verifier() == nullptr) return false;
  return std::ranges::any_of(
      variants_for(opened, part, operands),
      [&](const KernelVariant& variant) { return opened.kernels.needs_trial(variant); });
}

void GpuSide::build_kernels(const BatchProblem& part, SharingMode operands) noexcept {
  OpenedDevice& opened = *device();
  try {
    for (const KernelVariant& variant : variants_for(opened, part, operands))
      opened.kernels.prepare(variant);
  } catch (const std::exception&) {
    // The batch builds it, or reports why it cannot.
  }
}

std::size_t GpuSide::built_kernels() const {
  return device()->kernels.size();
}

std::optional<KernelParams> GpuSide::launchable(const KernelParams& wanted,
                                                Precision precision) const noexcept try {
  return duoblas::launchable(*device(), wanted, precision);
} catch (const std::bad_alloc&) {
  return std::nullopt;  // the CPU needs no memory for it
}

std::string GpuSide::refusal(const KernelParams& kernel, Precision precision) const {
  return device()->kernels.refusal(kernel, precision);
}

std::string GpuSide::try_kernel(const KernelVariant& variant) {
  const std::lock_guard guard(device()->mutex);
  return device()->kernels.try_now(normalised(variant));
}

std::uint64_t GpuSide::trials() const {
  const KernelVerifier* const verifier = device()->kernels.verifier();
  return verifier == nullptr ? 0 : verifier->trials();
}

std::vector<WrongKernel> GpuSide::take_wrong() {
  KernelVerifier* const verifier = device()->kernels.verifier();
  return verifier == nullptr ? std::vector<WrongKernel>() : verifier->take_wrong();
}

std::vector<VariantVerdict> GpuSide::verdicts() const {
  const KernelVerifier* const verifier = device()->kernels.verifier();
  return verifier == nullptr ? std::vector<VariantVerdict>() : verifier->known();
}

bool GpuSide::convict(const GemmProblem& part, const KernelParams& kernel, SharingMode operands,
                      const std::string& why) {
  OpenedDevice& opened = *device();
  if (!opened.kernels.refuse(kernel, part.precision, why)) return false;
  for (const KernelVariant& variant : variants_for(opened, part, kernel, operands))
    opened.kernels.convict(variant, why);
  return true;
}

bool GpuSide::convict(const BatchProblem& part, SharingMode operands, const std::string& why) {
  OpenedDevice& opened = *device();
  const std::vector<KernelVariant> variants = variants_for(opened, part, operands);
  bool is_news = false;
  for (const KernelVariant& variant : variants)
    is_news |= opened.kernels.refuse(variant.params, variant.precision, why);
  if (is_news)
    for (const KernelVariant& variant : variants) opened.kernels.convict(variant, why);
  return is_news;
}

void GpuSide::add_checked(const GemmProblem& part, const KernelParams& kernel, SharingMode operands,
                          std::uint64_t results) noexcept {
  OpenedDevice& opened = *device();
  if (opened.kernels.verifier() == nullptr) return;
  try {
    opened.kernels.add_checked(variants_for(opened, part, kernel, operands).front(), results);
  } catch (const std::bad_alloc&) {
    // These are not counted.
  }
}

std::vector<unsigned char> GpuSide::binary(const KernelVariant& variant) {
  const std::lock_guard guard(device()->mutex);
  return device()->kernels.get(normalised(variant)).program.binary();
}

std::string GpuSide::cache_problem() const {
  const std::lock_guard guard(device()->mutex);
  return device()->kernels.disk_problem();
}

}  // namespace duoblas

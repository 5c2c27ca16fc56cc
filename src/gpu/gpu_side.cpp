#include "gpu/gpu_side.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device/opened_device.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/product/kernel_trial.hpp"
#include "gpu/product/product.hpp"

namespace duoblas {

namespace {

void reject_all(OpenedDevice& device, const std::vector<KernelVariant>& variants,
                const std::string& why) {
  for (const KernelVariant& variant : variants) device.kernels.reject(variant, why);
}

}  // namespace

GpuSide::GpuSide(const cl::Device& device, const GpuFolders& folders, bool timestamps,
                 std::size_t memory_limit, const GpuBounds& bounds,
                 const Verification& verification)
    : device_(std::make_shared<OpenedDevice>(device, folders, timestamps, memory_limit, bounds,
                                             verification, product_trials)) {
  // For probes a failure is an answer, but a device that hangs is not.
  device_->refuse_if_hung();
}

GpuSide::~GpuSide() = default;

unsigned GpuSide::memory_growths() const {
  const std::lock_guard guard(device_->mutex);
  return device_->scratch.growths;
}

void GpuSide::let_go() noexcept {
  device_->let_go();
}

void GpuSide::expect_rate(Precision precision, double flops_per_second) {
  device_->pace.expect(precision, flops_per_second);
}

GpuJob GpuSide::submit(const GemmProblem& part, const KernelParams& kernel,
                       const Sharing& sharing) {
  return GpuJob::start(device_, part, kernel, sharing);
}

void GpuSide::wait_for_job() const {
  const std::lock_guard guard(device_->mutex);
}

std::shared_ptr<const ResidentMatrix> GpuSide::make_resident(const HostRect& matrix,
                                                             PackedForms forms) {
  return ResidentMatrix::make(device_, matrix, forms);
}

void GpuSide::build_pipeline() noexcept {
  const std::lock_guard guard(device_->mutex);
  try {
    device_->pipeline().reserve();
  } catch (const std::exception&) {
    // The first product that uses it reports the problem.
  }
}

const cl::DeviceInfo& GpuSide::info() const {
  return device_->context.device().info;
}

const DeviceLimits& GpuSide::limits() const {
  return device_->limits;
}

const SharingFacts& GpuSide::sharing() const {
  return device_->memory.facts();
}

CopiedBytes GpuSide::copied() const {
  OpenedDevice& device = *device_;
  const std::lock_guard guard(device.mutex);
  const OperandMemory::HostCopies of_host = device.memory.host_copies();
  const TransferPipeline* const pipeline = device.pipeline_if_made();
  const std::uint64_t through_rings = pipeline != nullptr ? pipeline->copied_bytes() : 0;
  return {of_host.staged + through_rings, of_host.saved + device.scratch.saved_bytes,
          device.scratch.packed_bytes};
}

SharingMode GpuSide::best_sharing() const {
  return sharing().granularity() > 0 ? SharingMode::host_pointer : SharingMode::staged;
}

// The kernels: which are built, tried, refused or wrong.

void GpuSide::prepare(const KernelParams& kernel, Precision precision, Op op_a, Op op_b) {
  const std::lock_guard guard(device_->mutex);
  prepare_product(*device_, kernel, precision, op_a, op_b, Rows::whole);
}

// None where nothing is multiplied.
std::vector<KernelVariant> GpuSide::variants(const GemmProblem& part, const KernelParams& kernel,
                                             SharingMode operands) const {
  if (part.empty() || part.only_scales_c()) return {};
  return variants_for(*device_, part, kernel, operands);
}

bool GpuSide::has_kernels(const std::vector<KernelVariant>& variants) const {
  return std::ranges::all_of(variants, [&](const KernelVariant& variant) {
    return device_->kernels.has(variant) &&
           (!needs_guard(variant.params) || device_->kernels.has_guard());
  });
}

bool GpuSide::need_trials(const std::vector<KernelVariant>& variants) const {
  return device_->kernels.verifier() != nullptr &&
         std::ranges::any_of(variants, [&](const KernelVariant& variant) {
           return device_->kernels.needs_trial(variant);
         });
}

void GpuSide::build_kernels(const std::vector<KernelVariant>& variants) noexcept {
  try {
    for (const KernelVariant& variant : variants) {
      if (needs_guard(variant.params)) device_->kernels.guard();
      device_->kernels.prepare(variant);
    }
  } catch (const std::exception&) {
    // The product builds it, or reports why it cannot.
  }
}

std::size_t GpuSide::built_kernels() const {
  return device_->kernels.size();
}

bool GpuSide::has_refused() const noexcept {
  return device_->kernels.any_refused();
}

std::optional<KernelParams> GpuSide::launchable(const KernelParams& wanted,
                                                Precision precision) const noexcept try {
  return duoblas::launchable(*device_, wanted, precision);
} catch (const std::bad_alloc&) {
  return std::nullopt;  // the CPU needs no memory for it
}

std::string GpuSide::refusal(const KernelParams& kernel, Precision precision) const {
  return device_->kernels.refusal(kernel, precision);
}

std::string GpuSide::try_kernel(const KernelVariant& variant) {
  const std::lock_guard guard(device_->mutex);
  return device_->kernels.try_now(normalised(variant));
}

std::uint64_t GpuSide::trials() const {
  const KernelVerifier* const verifier = device_->kernels.verifier();
  return verifier == nullptr ? 0 : verifier->trials();
}

std::vector<WrongKernel> GpuSide::take_wrong() {
  KernelVerifier* const verifier = device_->kernels.verifier();
  return verifier == nullptr ? std::vector<WrongKernel>() : verifier->take_wrong();
}

std::vector<VariantVerdict> GpuSide::verdicts() const {
  const KernelVerifier* const verifier = device_->kernels.verifier();
  return verifier == nullptr ? std::vector<VariantVerdict>() : verifier->known();
}

bool GpuSide::reject(const GemmProblem& part, const KernelParams& kernel, SharingMode operands,
                     const std::string& why) {
  if (!device_->kernels.refuse(kernel, part.precision, why)) return false;
  reject_all(*device_, variants_for(*device_, part, kernel, operands), why);
  return true;
}

void GpuSide::add_checked(const GemmProblem& part, const KernelParams& kernel, SharingMode operands,
                          std::uint64_t results) noexcept {
  if (device_->kernels.verifier() == nullptr) return;
  try {
    device_->kernels.add_checked(variants_for(*device_, part, kernel, operands).front(), results);
  } catch (const std::bad_alloc&) {
    // These are not counted.
  }
}

std::vector<unsigned char> GpuSide::binary(const KernelVariant& variant) {
  const std::lock_guard guard(device_->mutex);
  return device_->kernels.get(normalised(variant)).program.binary();
}

std::string GpuSide::cache_problem() const {
  const std::lock_guard guard(device_->mutex);
  return device_->kernels.disk_problem();
}

}  // namespace duoblas

#include "gpu/gpu_side.hpp"

#include <exception>
#include <mutex>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device/opened_device.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/product/batch_job.hpp"
#include "gpu/product/kernel_trial.hpp"

namespace duoblas {

struct GpuSide::State {
  std::shared_ptr<OpenedDevice> device;
};

GpuSide::GpuSide(const cl::Device& device, const GpuFolders& folders, bool timestamps,
                 std::size_t memory_limit, const GpuBounds& bounds,
                 const Verification& verification)
    : state_(std::make_unique<State>()) {
  state_->device = std::make_shared<OpenedDevice>(device, folders, timestamps, memory_limit, bounds,
                                                  verification, product_trials);
  // For probes a failure is an answer, but a device that hangs is not.
  state_->device->refuse_if_hung();
}

GpuSide::~GpuSide() = default;

unsigned GpuSide::memory_growths() const {
  const std::lock_guard guard(state_->device->mutex);
  return state_->device->scratch.growths;
}

void GpuSide::let_go() noexcept {
  state_->device->let_go();
}

void GpuSide::expect_rate(Precision precision, double flops_per_second) {
  state_->device->pace.expect(precision, flops_per_second);
}

GpuJob GpuSide::submit(const GemmProblem& part, const KernelParams& kernel,
                       const Sharing& sharing) {
  return GpuJob::start(state_->device, part, kernel, sharing);
}

void GpuSide::wait_for_job() const {
  const std::lock_guard guard(state_->device->mutex);
}

BatchJob GpuSide::submit(const BatchProblem& part, const BatchSharing& sharing) {
  return BatchJob::start(state_->device, part, sharing);
}

std::shared_ptr<const ResidentMatrix> GpuSide::make_resident(const HostRect& matrix,
                                                             PackedForms forms) {
  return ResidentMatrix::make(state_->device, matrix, forms);
}

void GpuSide::build_pipeline() noexcept {
  const std::lock_guard guard(state_->device->mutex);
  try {
    state_->device->pipeline().reserve();
  } catch (const std::exception&) {
    // The first product that uses it reports the problem.
  }
}

const cl::DeviceInfo& GpuSide::info() const {
  return state_->device->context.device().info;
}

const DeviceLimits& GpuSide::limits() const {
  return state_->device->limits;
}

const SharingFacts& GpuSide::sharing() const {
  return state_->device->memory.facts();
}

CopiedBytes GpuSide::copied() const {
  OpenedDevice& device = *state_->device;
  const std::lock_guard guard(device.mutex);
  const OperandMemory::HostCopies of_host = device.memory.host_copies();
  const TransferPipeline* const pipeline = device.pipeline_if_made();
  const std::uint64_t through_rings = pipeline != nullptr ? pipeline->copied_bytes() : 0;
  return {of_host.staged + through_rings, of_host.saved + device.scratch.saved_bytes,
          device.scratch.packed_bytes};
}

const std::shared_ptr<OpenedDevice>& GpuSide::device() const {
  return state_->device;
}

SharingMode GpuSide::best_sharing() const {
  return sharing().granularity() > 0 ? SharingMode::host_pointer : SharingMode::staged;
}

}  // namespace duoblas

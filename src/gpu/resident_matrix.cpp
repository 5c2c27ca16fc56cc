#include "gpu/resident_matrix.hpp"

#include <cstddef>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/opened_device.hpp"
#include "gpu/transfer_pipeline.hpp"
#include "plan/device_blocks.hpp"

namespace duoblas {

// Rows start where kernels read them fastest, whatever the caller's ld.
ResidentMatrix::ResidentMatrix(std::shared_ptr<OpenedDevice> device, const HostRect& host)
    : device_(std::move(device)), host_(host) {
  const std::lock_guard guard(device_->mutex);
  const std::size_t pitch = device_pitch(host.row_bytes), bytes = host.rows * pitch;
  const std::size_t limit = device_->limits.memory_bytes;
  if (limit > 0 && device_->resident_bytes.load() + bytes > limit / 2)
    throw DeviceError("a matrix of " + std::to_string(bytes) +
                      " bytes would leave products less than half of the device's memory");
  whole_ = {std::make_shared<cl::Buffer>(device_->context.allocate(bytes, cl::Access::read_write)),
            0, pitch, SharingMode::staged};
  if (!device_->pipeline) device_->pipeline = std::make_unique<TransferPipeline>(*device_);
  device_->pipeline->bring({nullptr, 0, host.data, host.pitch, host.rows, host.row_bytes},
                           *whole_.buffer, pitch);
  device_->resident_bytes += bytes;
  bytes_ = bytes;
}

ResidentMatrix::~ResidentMatrix() {
  device_->resident_bytes -= bytes_;
}

BoundOperand ResidentMatrix::from(const void* first) const {
  BoundOperand part = whole_;
  const auto into = static_cast<std::size_t>(static_cast<const char*>(first) -
                                             static_cast<const char*>(host_.data));
  // One row has no pitch of its own.
  const std::size_t row = host_.rows > 1 ? into / host_.pitch : 0;
  part.offset_bytes = row * whole_.pitch_bytes + (into - row * host_.pitch);
  return part;
}

}  // namespace duoblas

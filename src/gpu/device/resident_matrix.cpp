#include "gpu/device/resident_matrix.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "gpu/device/opened_device.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "kernel_space/device_blocks.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

// Rows start where kernels read them fastest, whatever the caller's ld is.
ResidentMatrix::ResidentMatrix(std::shared_ptr<OpenedDevice> device, const HostRect& host,
                               PackedForms forms)
    : device_(std::move(device)), host_(host), forms_(forms) {
  const std::lock_guard guard(device_->mutex);
  const std::size_t pitch = device_pitch(host.row_bytes), bytes = host.rows * pitch;
  if (!device_->has_room_to_stay(bytes))
    throw DeviceError("a matrix of " + std::to_string(bytes) +
                      " bytes would leave products less than half of the device's memory");
  whole_ = {std::make_shared<cl::Buffer>(device_->context.allocate(bytes, cl::Access::read_write)),
            0, pitch, SharingMode::staged};
  device_->pipeline().upload(host, *whole_.buffer, pitch);
  device_->stays(bytes);
  bytes_ = bytes;
}

std::shared_ptr<const ResidentMatrix> ResidentMatrix::make(std::shared_ptr<OpenedDevice> device,
                                                           const HostRect& host,
                                                           PackedForms forms) {
  return std::shared_ptr<const ResidentMatrix>(new ResidentMatrix(std::move(device), host, forms));
}

ResidentMatrix::~ResidentMatrix() {
  device_->leaves(bytes_ + packed_bytes_);
}

std::shared_ptr<const cl::Buffer> ResidentMatrix::packed(const PackedForm& form) const {
  const auto kept = std::ranges::find(packed_, form, &Packed::form);
  return kept != packed_.end() ? kept->buffer : nullptr;
}

std::shared_ptr<const cl::Buffer> ResidentMatrix::room_for_packed(
    const PackedForm& form, std::size_t bytes) const noexcept {
  // Products of other shapes, or with other kernels, may pack the matrix in another form: room for
  // two. Residues take 21 bytes of a double; of complex B they take 84 of 16, each double twice.
  const std::size_t most_copies = is_by_integers(form.kernel) ? 6 : 2;
  if (forms_ == PackedForms::made_anew) return nullptr;
  if (packed_bytes_ + bytes > most_copies * bytes_) return nullptr;
  if (!device_->has_room_to_stay(bytes)) return nullptr;
  try {
    return std::make_shared<cl::Buffer>(device_->context.allocate(bytes, cl::Access::read_write));
  } catch (const std::exception&) {
    return nullptr;  // it is packed for this product alone
  }
}

void ResidentMatrix::keep_packed(const PackedForm& form, std::shared_ptr<const cl::Buffer> buffer,
                                 std::size_t bytes) const {
  packed_.push_back({form, std::move(buffer)});
  packed_bytes_ += bytes;
  device_->stays(bytes);
}

void ResidentMatrix::forget_packed() const noexcept {
  packed_.clear();
  device_->leaves(packed_bytes_);
  packed_bytes_ = 0;
}

BoundOperand ResidentMatrix::from(const void* first) const {
  BoundOperand part = whole_;
  const auto into = static_cast<std::size_t>(static_cast<const char*>(first) -
                                             static_cast<const char*>(host_.data));
  // A single row has no pitch.
  const std::size_t row = host_.rows > 1 ? into / host_.pitch : 0;
  part.offset_bytes = row * whole_.pitch_bytes + (into - row * host_.pitch);
  return part;
}

}  // namespace duoblas

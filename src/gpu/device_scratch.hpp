// The device's memory that products use one after another.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "opencl/handles.hpp"
#include "planner/device_blocks.hpp"

namespace duoblas {

/// A buffer kept between calls: allocating on the device can take as long as a product. Jobs follow
/// one another on the one in-order queue, so that a later packing never overtakes an earlier
/// product; a job holds the buffer that it uses, so that growing for the next one takes nothing
/// away.
class ScratchBuffer {
 public:
  std::shared_ptr<const cl::Buffer> at_least(const cl::Context& context, std::size_t bytes) {
    if (bytes > bytes_) {
      release();
      buffer_ = std::make_shared<cl::Buffer>(context.allocate(bytes, cl::Access::read_write));
      bytes_ = bytes;
    }
    return buffer_;
  }
  std::size_t bytes() const { return bytes_; }
  void release() {
    buffer_ = nullptr;
    bytes_ = 0;
  }

 private:
  std::shared_ptr<const cl::Buffer> buffer_;
  std::size_t bytes_ = 0;
};

struct DeviceScratch {
  ScratchBuffer a, b, c;  ///< blocks of the operands (the pipeline's)
  ScratchBuffer packed_a, packed_b, partial;
  ScratchBuffer flag;  ///< one int: the last ticket whose operands did not suit (kernels/guard.cl)

  /// Lets go of what is kept where a product with these needs would take more than `limit` bytes
  /// beside it. 0: no limit.
  void make_room(const DeviceBytes& needs, std::size_t limit) {
    const std::array<ScratchBuffer*, 6> kept = {&a, &b, &c, &packed_a, &packed_b, &partial};
    const std::array<std::size_t, 6> needed = {needs.a,        needs.b,        needs.c,
                                               needs.packed_a, needs.packed_b, needs.partial};
    std::size_t sum = flag.bytes();
    for (std::size_t i = 0; i < kept.size(); ++i) sum += std::max(kept[i]->bytes(), needed[i]);
    if (limit == 0 || sum <= limit) return;
    for (ScratchBuffer* buffer : kept) buffer->release();
  }
};

}  // namespace duoblas

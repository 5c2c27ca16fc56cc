// Device memory that successive products share.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "kernel_space/device_blocks.hpp"
#include "opencl/handles.hpp"

namespace duoblas {

/// A buffer kept between calls, because allocating on the device can take as long as a product.
/// Jobs follow one another on one in-order queue, so a later packing never overtakes an earlier
/// product. A job holds its buffer, so growing the buffer for the next job does not affect it.
class ScratchBuffer {
 public:
  /// The whole buffer of which a buffer is a part. Drivers make no images over parts (PoCL 3.1:
  /// CL_INVALID_MEM_OBJECT).
  struct Whole {
    std::shared_ptr<const cl::Buffer> buffer;
    std::size_t offset = 0;  ///< of the part, in bytes
  };

  std::shared_ptr<const cl::Buffer> at_least(const cl::Context& context, std::size_t bytes) {
    ++users_;
    if (bytes > bytes_) {
      release();
      const std::size_t roomy = least_ > 0 ? std::bit_ceil(std::max(bytes, least_)) : bytes;
      buffer_ = std::make_shared<cl::Buffer>(context.allocate(roomy, cl::Access::read_write));
      bytes_ = roomy;
    }
    return buffer_;
  }
  /// From now on it grows in powers of two, to at least this many bytes. 0: to exactly what is
  /// needed.
  void grow_by(std::size_t least) { least_ = least; }
  std::size_t bytes() const { return bytes_; }
  /// How many were given the buffer so far. Only the last of them knows what is in it.
  std::uint64_t users() const { return users_; }
  /// Replaces the kept buffer by a part of another owner's buffer.
  void lend(std::shared_ptr<const cl::Buffer> part, std::size_t bytes, Whole whole) {
    ++users_;
    buffer_ = std::move(part);
    bytes_ = bytes;
    whole_ = std::move(whole);
  }
  /// The whole of which this buffer is a part. Null if it is not ours, or not a part.
  const Whole* whole_of(const std::shared_ptr<const cl::Buffer>& buffer) const {
    return buffer == buffer_ && whole_.buffer != nullptr ? &whole_ : nullptr;
  }
  void release() {
    buffer_ = nullptr;
    bytes_ = 0;
    whole_ = {};
  }

 private:
  std::shared_ptr<const cl::Buffer> buffer_;
  Whole whole_;
  std::size_t bytes_ = 0, least_ = 0;
  std::uint64_t users_ = 0;
};

struct DeviceScratch {
  ScratchBuffer a, b, c;  ///< blocks of the operands (the pipeline's)
  ScratchBuffer packed_a, packed_b, partial;
  ScratchBuffer batch_a, batch_b, batch_c;  ///< operands of batches (batch_job.hpp)
  ScratchBuffer tickets;  ///< zeros between launches: work-groups of a gemv that have ended
  ScratchBuffer flag;  ///< one int: the last ticket whose operands did not suit (kernels/guard.cl)
  ScratchBuffer boards;  ///< of LU's panels (panels_on_device.hpp)
  unsigned growths = 0;  ///< products for which memory was too short

  /// If products keep growing, each waits for memory: 0.2 to 3.6 ms in calls of 1 ms
  /// (bench_planner_regret --shapes 80). A 32nd of what a device may use is cheap.
  static std::size_t growth(std::size_t limit) {
    constexpr std::size_t most = std::size_t{32} << 20;
    return std::min(most, limit / 32);
  }

  /// Releases the kept buffers if they and a product with these needs would exceed `limit` bytes.
  /// 0: no limit.
  void make_room(const DeviceBytes& needs, std::size_t limit) {
    const auto kept = all();
    const std::array<std::size_t, 10> needed = {
        needs.a, needs.b, needs.c, needs.packed_a, needs.packed_b, needs.partial, 0, 0, 0, 0};
    std::size_t sum = flag.bytes();
    bool grows = false;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      sum += std::max(kept[i]->bytes(), needed[i]);
      grows = grows || kept[i]->bytes() < needed[i];
    }
    if (grows) ++growths;
    for (ScratchBuffer* buffer : kept) buffer->grow_by(sum <= limit / 4 ? growth(limit) : 0);
    if (limit == 0 || sum <= limit) return;
    for (ScratchBuffer* buffer : kept) buffer->release();
  }

  /// The same for a batch, whose staged operands are `needs`' a, b and c.
  void make_room_for_batch(const DeviceBytes& needs, std::size_t limit) {
    const auto grows = [](const ScratchBuffer& kept, std::size_t needed) {
      return kept.bytes() < needed;
    };
    if (grows(batch_a, needs.a) || grows(batch_b, needs.b) || grows(batch_c, needs.c) ||
        grows(packed_a, needs.packed_a) || grows(packed_b, needs.packed_b))
      ++growths;
    std::size_t sum = flag.bytes();
    const auto kept = all();
    const std::array<std::size_t, 10> needed = {0, 0,       0,       needs.packed_a, needs.packed_b,
                                                0, needs.a, needs.b, needs.c,        0};
    for (std::size_t i = 0; i < kept.size(); ++i) sum += std::max(kept[i]->bytes(), needed[i]);
    for (ScratchBuffer* buffer : kept) buffer->grow_by(0);
    if (limit == 0 || sum <= limit) return;
    for (ScratchBuffer* buffer : kept) buffer->release();
  }

 private:
  std::array<ScratchBuffer*, 10> all() {
    return {&a, &b, &c, &packed_a, &packed_b, &partial, &batch_a, &batch_b, &batch_c, &boards};
  }
};

}  // namespace duoblas

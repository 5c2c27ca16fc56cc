// Device memory that successive products share. Under the device's mutex, except where it says so.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

#include "kernel_space/device_blocks.hpp"
#include "kernel_space/kernel_params.hpp"
#include "opencl/handles.hpp"
#include "problem/gemm_problem.hpp"

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

/// All of a product's B in the form of a kernel, in memory that jobs share.
struct PackedB {
  std::weak_ptr<const cl::Buffer> buffer;
  std::uint64_t user = 0;  ///< ScratchBuffer::users() when the job was given the buffer
  GemmProblem of;
  KernelParams kernel;
  std::shared_ptr<cl::Event> done;

  /// Whether this product has that B, in form and place. Only its caller knows whether the numbers
  /// are still the same.
  bool suits(const GemmProblem& product, const KernelParams& with) const {
    return product.b == of.b && product.ldb == of.ldb && product.n == of.n && product.k == of.k &&
           product.op_b == of.op_b && product.precision == of.precision && with == kernel;
  }
};

/// The last ticket whose operands did not suit (kernels/guard.cl): one int, which the kernels
/// behind a guard read.
class GuardFlag {
 public:
  struct Ticket {
    std::shared_ptr<const cl::Buffer> flag;
    int number = 0;
    bool is_first = false;  ///< the flag has no value yet, and must become 0
  };
  Ticket next(const cl::Context& context) {
    auto flag = buffer_.at_least(context, sizeof(int));
    const bool is_first = last_ == 0 || last_ == std::numeric_limits<int>::max();
    last_ = is_first ? 1 : last_ + 1;
    return {std::move(flag), last_, is_first};
  }
  /// Others may have written to it.
  void forget() { last_ = 0; }
  /// Memory for it, of another owner.
  ScratchBuffer& buffer() { return buffer_; }
  std::size_t bytes() const { return buffer_.bytes(); }
  void release() {
    buffer_.release();
    forget();
  }

 private:
  ScratchBuffer buffer_;
  int last_ = 0;  ///< 0: none
};

/// Zeros between launches: work-groups of a gemv that have ended. Not after a failure.
class ZeroTickets {
 public:
  std::shared_ptr<const cl::Buffer> at_least(const cl::Context& context, std::size_t bytes) {
    if (bytes > buffer_.bytes()) are_zeros_.store(false);
    return buffer_.at_least(context, bytes);
  }
  /// Whether all of the buffer is; else the caller enqueues that, and then says so.
  bool are_zeros() const { return are_zeros_.load(); }
  void become_zeros() { are_zeros_.store(true); }
  /// Any thread may call it.
  void spoil() noexcept { are_zeros_.store(false); }
  std::size_t bytes() const { return buffer_.bytes(); }
  void release() {
    buffer_.release();
    spoil();
  }

 private:
  ScratchBuffer buffer_;
  std::atomic<bool> are_zeros_{false};
};

struct DeviceScratch {
  ScratchBuffer a, b, c;  ///< blocks of the operands (the pipeline's)
  ScratchBuffer packed_a, packed_b, partial;
  ZeroTickets tickets;
  GuardFlag flag;
  ScratchBuffer boards;  ///< of LU's panels (panels_on_device.hpp)
  PackedB last_b;        ///< the last that a job packed in one piece, for Sharing::behind_another
  unsigned growths = 0;  ///< products for which memory was too short
  std::uint64_t packed_bytes = 0, saved_bytes = 0;  ///< by all products so far

  /// If products keep growing, each waits for memory: 0.2 to 3.6 ms in calls of 1 ms
  /// (bench_gemm shapes --shapes 80). A 32nd of what a device may use is cheap.
  static std::size_t growth(std::size_t limit) {
    constexpr std::size_t most = std::size_t{32} << 20;
    return std::min(most, limit / 32);
  }

  /// Releases the kept buffers if they and a product with these needs would exceed `limit` bytes.
  /// 0: no limit.
  void make_room(const DeviceBytes& needs, std::size_t limit) {
    const std::array<std::size_t, 7> needed = {needs.a,        needs.b,        needs.c,
                                               needs.packed_a, needs.packed_b, needs.partial};
    const auto kept = all();
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

  void release() {
    for (ScratchBuffer* buffer : all()) buffer->release();
    tickets.release();
    flag.release();
  }

 private:
  std::array<ScratchBuffer*, 7> all() {
    return {&a, &b, &c, &packed_a, &packed_b, &partial, &boards};
  }
};

}  // namespace duoblas

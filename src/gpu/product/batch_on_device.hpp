// A running batch on the device: its groups' operands, in place or as copies.
//
//   batch_job.cpp        one batch of the GPU, from submit to join; owns this
//     BatchOnDevice      bind -> enqueue -> (commands end) -> publish, or restore after a failure
//       batch_staging    how an operand's products lie in the caller's memory
//       batched_product  one launch for many products
//
// In: the GPU's part of a batch. Out: the caller's C. The buffers are this object's, and only
// release() gives them back; the caller's memory is used until publish() or restore() returns.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/device/opened_device.hpp"
#include "gpu/product/batch_job.hpp"
#include "memory/batch_staging.hpp"
#include "gpu/product/batched_product.hpp"
#include "memory/host_memory.hpp"
#include "opencl/wait_deadline.hpp"

namespace duoblas {

/// Frees memory, unless the driver hangs: the device may still use it then.
struct FreedUnlessHung {
  void operator()(void* memory) const noexcept {
    if (!cl::driver_hangs()) free_host(memory);
  }
};
using HostBlock = std::unique_ptr<void, FreedUnlessHung>;

/// An operand that is copied to or from a buffer of the device. There its rows follow each other,
/// apart from padding for alignment.
struct StagedOperand {
  OperandOfGroup operand;
  std::size_t pitch = 0;
  HostBlock gathered;  ///< host copy, where the caller's rows have no constant stride

  explicit StagedOperand(const OperandOfGroup& of);
  std::size_t bytes_of_one() const { return static_cast<std::size_t>(operand.rows) * pitch; }
  std::int64_t stride() const;  ///< elements
};

struct GroupOnDevice {
  BatchGroup group;
  KernelParams kernel;
  BoundInputs inputs;                 ///< used in place; an input without a buffer is staged
  std::optional<BoundResult> result;  ///< in place
  StagedOperand a, b, c;
  HostBlock host_result;     ///< memory for C on the host, where `result` is empty
  std::int64_t at_once = 0;  ///< products whose staged operands are on the device at once

  explicit GroupOnDevice(const BatchGroup& of) : group(of), a(a_of(of)), b(b_of(of)), c(c_of(of)) {}
};

/// One thread at a time. It holds the device's mutex, except for publish() and restore(). After an
/// exception, drain the device and call restore(): C then has its old values.
class BatchOnDevice {
 public:
  explicit BatchOnDevice(std::shared_ptr<OpenedDevice> device) : device_(std::move(device)) {}

  /// \pre no group is empty or only scales C. \throws DeviceError.
  void bind(const BatchProblem& part, const BatchSharing& sharing);
  /// All groups' copies and products, one after another, in pieces that the device's memory holds.
  /// \throws DeviceError.
  void enqueue();
  /// Call it when all commands have ended. Results in place become visible first, then staged ones
  /// are copied. \throws DeviceError before a staged C is written.
  void publish();
  void restore() noexcept;
  void release();

  const std::vector<GroupOnDevice>& groups() const { return groups_; }
  /// The event of the last command. earlier() tells whether one before it failed.
  const cl::Event& done() const { return done_; }
  const EarlierKernels& earlier() const { return scratch_.earlier; }
  /// Kernels that were launched may write to the caller's C.
  bool reaches_c() const;
  OpenedDevice& device() { return *device_; }

 private:
  void bind_in_place(GroupOnDevice& group, const std::vector<HostRect>& written);
  void make_room();
  std::int64_t products_kept_at_once(const GroupOnDevice& group) const;
  void enqueue_products(GroupOnDevice& group, std::int64_t first, std::int64_t count);
  BatchedOperand send(StagedOperand& staged, const std::shared_ptr<const cl::Buffer>& to,
                      std::int64_t first, std::int64_t count);
  void then(cl::Event event);

  std::shared_ptr<OpenedDevice> device_;
  std::vector<GroupOnDevice> groups_;
  std::shared_ptr<const cl::Buffer> a_, b_, c_;  ///< of staged operands; each piece uses them
  ProductScratch scratch_;
  cl::Event done_;
  bool is_launched_ = false;
};

}  // namespace duoblas

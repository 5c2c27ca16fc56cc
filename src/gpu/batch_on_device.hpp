// What a batch under way has on the device: its groups' operands, in place or on copies.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/batch_job.hpp"
#include "gpu/batch_staging.hpp"
#include "gpu/batched_product.hpp"
#include "gpu/opened_device.hpp"
#include "memory/host_memory.hpp"
#include "opencl/patience.hpp"

namespace duoblas {

/// What a device may read or write for longer than anybody waits stays where it is.
struct FreedUnlessHung {
  void operator()(void* memory) const noexcept {
    if (!cl::driver_hangs()) free_host(memory);
  }
};
using HostBlock = std::unique_ptr<void, FreedUnlessHung>;

/// An operand on its way through a buffer of the device, where its rows are dense but for
/// alignment.
struct StagedOperand {
  OperandOfGroup operand;
  std::size_t pitch = 0;
  HostBlock gathered;  ///< where the caller's rows are not at one distance

  explicit StagedOperand(const OperandOfGroup& of);
  std::size_t bytes_of_one() const { return static_cast<std::size_t>(operand.rows) * pitch; }
  std::int64_t stride() const;  ///< elements
};

struct GroupOnDevice {
  BatchGroup group;
  KernelParams kernel;
  BoundInputs inputs;                 ///< in place; without a buffer: staged
  std::optional<BoundResult> result;  ///< in place
  StagedOperand a, b, c;
  HostBlock landing;         ///< where `result` is none
  std::int64_t at_once = 0;  ///< products of which staged operands are on the device at a time

  explicit GroupOnDevice(const BatchGroup& of) : group(of), a(a_of(of)), b(b_of(of)), c(c_of(of)) {}
};

/// Everything under the device's mutex, but for publish() and restore(). What any step throws
/// leaves C as it was, once the device was drained and restore() called.
class BatchOnDevice {
 public:
  explicit BatchOnDevice(std::shared_ptr<OpenedDevice> device) : device_(std::move(device)) {}

  /// \pre no group is empty or only scales C. \throws DeviceError.
  void bind(const BatchProblem& part, const BatchSharing& sharing);
  /// All groups' copies and products, one after another, in pieces that the device's memory holds.
  /// \throws DeviceError.
  void enqueue();
  /// After all has ended. \throws DeviceError; where it was copied before the caller's memory was
  /// touched.
  void publish();
  void restore() noexcept;
  void release();

  const std::vector<GroupOnDevice>& groups() const { return groups_; }
  /// Of the last command; every other one's failure is in earlier().
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
  std::shared_ptr<const cl::Buffer> a_, b_, c_;  ///< of staged operands, one piece after another
  ProductScratch scratch_;
  cl::Event done_;
  bool is_launched_ = false;
};

}  // namespace duoblas

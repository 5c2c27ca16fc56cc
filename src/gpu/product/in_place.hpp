// A large product in memory that host and device share, done in blocks, so that only few of C's old
// values are saved at a time, and little is packed at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "check/spare_memory.hpp"
#include "gpu/device/direct_results.hpp"
#include "gpu/integers/integer_product.hpp"
#include "gpu/product/block_walk.hpp"
#include "gpu/product/operand_route.hpp"
#include "gpu/product/pipelined_product.hpp"
#include "gpu/product/product.hpp"
#include "memory/operand_memory.hpp"
#include "opencl/wait_deadline.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

/// The bytes of A or B that are packed at a time.
inline constexpr std::size_t in_place_bytes = std::size_t{32} << 20;

/// The size of a block of C whose old values are saved; so much for each compute unit of a device
/// with panel kernels; more if that is needed to keep every compute unit busy, within
/// in_place_bytes or a line of tiles. So little is still in the cache when the kernel reads it, and
/// needs few fresh pages: on PoCL (a core of a Xeon, model 207) dgemm of 2048 x 2048 x 128 with
/// beta = 1 took 45 ms with all of C saved at once, 17 ms with 0.5 to 2 MiB.
inline constexpr std::size_t saved_bytes = std::size_t{1} << 20;

/// The blocks, if a product needs them; k is not divided. Nothing if it is small enough as a whole,
/// or if no block is small enough for the device.
std::optional<DeviceBlocks> in_place_blocks(const GemmProblem& problem, const KernelParams& kernel,
                                            const DeviceLimits& limits);

class InPlaceProduct {
 public:
  /// Allocates. The caller holds the device's mutex. \pre the route's way is in_blocks; its result
  /// is not begun, which happens block by block. \throws DeviceError.
  InPlaceProduct(TransferQueues& queues, const GemmProblem& part, const KernelParams& kernel,
                 OperandRoute route, const Sharing& sharing);

  /// Does everything, and holds the device's mutex meanwhile. After a failure nothing is running,
  /// and if beta != 0, unfinished parts of the caller's C have their old values if these were
  /// saved.
  PipelineOutcome run() noexcept;

 private:
  void carry_out();
  void enqueue(const BlockStep& step);
  bool saves() const { return saves_old_c_ && !part_.overwrites_c(); }
  std::size_t block_bytes() const {
    return static_cast<std::size_t>(route_.blocks.m * route_.blocks.n) *
           element_size(part_.precision);
  }
  cl::Event submit(const BlockStep& step, const GemmProblem& product, const BoundOperand& c);
  IntegerProduct::State& state_of(const BlockStep& step) {
    return (*states_)[static_cast<std::size_t>(step.c) % states_->size()];
  }
  BoundOperand bound_a(const BlockStep& step) const;
  BoundOperand bound_b(const BlockStep& step) const;
  BoundOperand packed_a(const BlockStep& step, const GemmProblem& product);
  BoundOperand packed_b(const BlockStep& step, const GemmProblem& product);
  /// The packing of all of this B by the job before, whose memory has had no other user since;
  /// null: it packed something else.
  std::shared_ptr<cl::Event> packed_before() const;

  OpenedDevice& device_;
  const GemmProblem part_;
  KernelParams kernel_;
  OperandRoute route_;
  const bool saves_old_c_, same_b_;  ///< Sharing's, and whether an earlier job's B may serve
  const BlockWalk walk_;
  const Stopwatch watch_;
  std::shared_ptr<const cl::Buffer> packed_a_, packed_b_;
  std::int64_t a_block_ = -1, b_block_ = -1;  ///< the blocks that are packed
  std::uint64_t user_of_b_ = 0;               ///< ScratchBuffer::users()
  std::optional<IntegerProduct> integers_;
  using States = std::array<IntegerProduct::State, DirectResults::blocks_at_once>;
  const std::unique_ptr<States, cl::DeletedUnlessHung> states_;  ///< after blocks; null: by doubles
  ProductScratch scratch_;
  const SpareMemory old_values_;
  DirectResults written_;  ///< blocks of C, as the walk counts them
  std::vector<GemmProblem> unfinished_;
};

}  // namespace duoblas

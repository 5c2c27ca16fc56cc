// One product of operands in memory that the device cannot reach, or that are too large for it.
// Blocks go to the device, are multiplied and come back, all at the same time and beside the
// caller's thread.
//
//   host threads   B | A0 | A1 | A2 | ..  C0 | C1 | ..   copies, pageable <-> page-locked
//   upload queue     B | A0 | A1 | A2 | ..
//   kernels                  0 |  1 |  2 | ..
//   download queue               C0 | C1 | C2 | ..
//
// (Here B fits and stays, and rows of A and C move: kernel_space/device_blocks.hpp says how else.)
#pragma once

#include <algorithm>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/device/direct_results.hpp"
#include "gpu/device/transfer_pipeline.hpp"
#include "gpu/integers/integer_product.hpp"
#include "gpu/product/block_walk.hpp"
#include "gpu/product/gpu_job.hpp"
#include "gpu/product/operand_route.hpp"
#include "gpu/product/product.hpp"
#include "memory/page_prefault.hpp"
#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

/// Places on the device for blocks of one operand.
struct BlockSlot {
  std::size_t offset = 0;  ///< in the operand's buffer
  std::int64_t block = -1;
  std::int64_t last_step = -1;  ///< the last step that used it
  /// Must have ended before another block is written here.
  std::shared_ptr<const cl::Event> in_use;
};

class BlockSlots {
 public:
  BlockSlots(int count, std::size_t slot_bytes) : slots_(static_cast<std::size_t>(count)) {
    for (std::size_t i = 0; i < slots_.size(); ++i) slots_[i].offset = i * slot_bytes;
  }

  /// The slot that holds the block, or else the least recently used one.
  BlockSlot& slot_for(std::int64_t block) {
    const auto held = std::ranges::find(slots_, block, &BlockSlot::block);
    return held != slots_.end() ? *held
                                : *std::ranges::min_element(slots_, {}, &BlockSlot::last_step);
  }

 private:
  std::vector<BlockSlot> slots_;
};

struct PipelineOutcome {
  GpuJobTimes times;
  std::exception_ptr failure;  ///< null: everything is done
  bool reaches_c = false;      ///< the device itself writes to the caller's C
  std::vector<GemmProblem> unfinished;
};

class PipelinedProduct {
 public:
  /// Allocates. The caller holds the device's mutex. \throws DeviceError.
  PipelinedProduct(TransferQueues& queues, const GemmProblem& part, const KernelParams& kernel,
                   const OperandRoute& route, const Sharing& sharing);
  PipelinedProduct(const PipelinedProduct&) = delete;
  PipelinedProduct& operator=(const PipelinedProduct&) = delete;

  /// Does everything, and holds the device's mutex meanwhile. After a failure nothing is running,
  /// and unfinished parts of the caller's C have their old values.
  PipelineOutcome run() noexcept;

 private:
  /// Blocks of A or B on the device: as they are, and the one that is packed.
  struct Operand {
    std::shared_ptr<const cl::Buffer> buffer = {};
    BlockSlots slots;
    std::shared_ptr<const cl::Buffer> packed = {};  ///< null: the kernel does not need it packed
    std::int64_t packed_block = -1;
    std::size_t packed_bytes = 0;
    LockedUse locked = {};                     ///< page-locked: the device fetches it directly
    const ResidentMatrix* resident = nullptr;  ///< not null: it is on the device already
    BoundOperand in_place = {};                ///< with a buffer: the device reads it in place
    const void* first = nullptr;               ///< of the caller's elements

    bool is_copied() const { return resident == nullptr && !in_place.buffer; }
  };
  /// A block that is about to be multiplied.
  struct StagedBlock {
    BoundOperand operand;
    BlockSlot* slot = nullptr;  ///< null: it is in none
    bool packed = false;        ///< already
  };

  void lock_pages();
  std::shared_ptr<const cl::Buffer> buffer_of(const Operand& operand, ScratchBuffer& kept,
                                              std::size_t bytes) const;
  void prepare_kernels();
  void prefault_pages();
  void expect_uploads();
  void carry_out();
  void carry_out(std::int64_t number);
  void send(const HostRect& rows, const cl::Buffer& to, std::size_t offset, bool locked);
  StagedBlock stage(Operand& to, std::int64_t block, const HostRect& rows, std::int64_t step);
  void pack(Operand& to, const PackedForm& form, const GemmProblem& product, std::int64_t block,
            StagedBlock& staged);
  /// Where the lines' residues stay with their matrix.
  LastingLines lines_of(const Operand& of, const GemmProblem& product, bool columns);
  BoundOperand open_result(const BlockStep& step, const GemmProblem& product);
  /// The step's kernels, flushed; the event is of the last one.
  cl::Event enqueue(const BlockStep& step, const GemmProblem& product, StagedBlock& a,
                    StagedBlock& b, const BoundOperand& c);
  void expect_result(const BlockStep& step, const GemmProblem& product, const BoundOperand& from);
  /// C has no old values that must survive a failure.
  bool writes_c_directly() const { return locked_c_ && part_.overwrites_c(); }
  void list_unfinished() noexcept;

  TransferQueues& queues_;
  const GemmProblem part_;
  KernelParams kernel_;
  const DeviceBlocks blocks_;
  const BlockWalk walk_;
  const Stopwatch watch_;
  ArrivalCheck* const arrivals_;
  Operand a_, b_;
  LockedUse locked_c_;
  std::shared_ptr<const cl::Buffer> c_;
  ProductScratch scratch_;
  std::optional<IntegerProduct> integers_;
  EarlierKernels kernels_;                       ///< nobody has checked yet whether they failed
  std::shared_ptr<const cl::Event> sent_;        ///< uploads since the last product; null: none
  std::shared_ptr<const cl::Event> multiplied_;  ///< the last product
  DirectResults direct_;                         ///< where C is page-locked
  std::vector<std::shared_ptr<const cl::Event>> transferred_;  ///< each block of C, by those
  std::vector<std::size_t> rows_done_;   ///< of each block of C, as the walk counts them
  std::vector<GemmProblem> unfinished_;  ///< has room for all
  std::unique_ptr<PagePrefault> pages_;  ///< of a C that is new memory
};

}  // namespace duoblas

// One product on its way to the device and back (transfer_pipeline.hpp has the picture).
#pragma once

#include <exception>
#include <memory>
#include <vector>

#include "gpu/block_slots.hpp"
#include "gpu/block_walk.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/product.hpp"
#include "gpu/routes.hpp"
#include "gpu/transfer_lanes.hpp"
#include "memory/pages_ahead.hpp"
#include "problem/host_rect.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {

struct PassageOutcome {
  GpuJobTimes times;
  std::exception_ptr failure;  ///< null: all is done
  bool reaches_c = false;      ///< the device writes to the caller's C by itself
  std::vector<GemmProblem> unfinished;
};

class Passage {
 public:
  /// Allocates. The caller holds the device's mutex. \throws DeviceError.
  Passage(TransferLanes& lanes, const GemmProblem& part, const KernelParams& kernel,
          const DeviceBlocks& blocks, const Routes& routes);
  Passage(const Passage&) = delete;
  Passage& operator=(const Passage&) = delete;

  /// Does it all, and takes the device's mutex for that time. After a failure nothing is under way,
  /// and of what is unfinished the caller's C has its old values.
  PassageOutcome run() noexcept;

 private:
  /// Blocks of A or B on the device: as they are, and the one that is packed.
  struct Operand {
    std::shared_ptr<const cl::Buffer> buffer = {};
    BlockSlots slots;
    std::shared_ptr<const cl::Buffer> packed = {};  ///< null: the kernel takes it as it is
    std::int64_t packed_block = -1;
    std::size_t packed_bytes = 0;
    LockedUse locked = {};  ///< page-locked: the device fetches it from where it is
    const ResidentMatrix* resident = nullptr;  ///< not null: it is there already
    BoundOperand in_place = {};                ///< with a buffer: the device reads it where it is
    const void* first = nullptr;               ///< of the caller's elements

    bool is_copied() const { return resident == nullptr && !in_place.buffer; }
  };
  /// A block of one on its way into a product.
  struct Brought {
    BoundOperand operand;
    BlockSlot* slot = nullptr;  ///< null: it is in none
    bool packed = false;        ///< already
  };
  /// What the device writes to the caller's C by itself.
  struct Landing {
    std::shared_ptr<const cl::Event> landed, after;
  };

  void lock_pages();
  std::shared_ptr<const cl::Buffer> buffer_of(const Operand& operand, ScratchBuffer& kept,
                                              std::size_t bytes) const;
  void prepare_kernels();
  void bring_pages();
  void carry_out();
  void carry_out(std::int64_t number);
  void send(const HostRect& rows, const cl::Buffer& to, std::size_t offset, bool locked);
  Brought bring(Operand& to, std::int64_t block, const HostRect& rows, std::int64_t step);
  void pack(Operand& to, const PackedForm& form, const GemmProblem& product, std::int64_t block,
            Brought& brought);
  BoundOperand open_result(const BlockStep& step, const GemmProblem& product);
  void expect_result(const BlockStep& step, const GemmProblem& product, const BoundOperand& from);
  /// C has no old values that a failure would have to leave.
  bool lands_in_c() const { return locked_c_ && part_.overwrites_c(); }
  void list_unfinished() noexcept;

  TransferLanes& lanes_;
  const GemmProblem part_;
  KernelParams kernel_;
  const DeviceBlocks blocks_;
  const BlockWalk walk_;
  const Stopwatch watch_;
  const Routes routes_;
  Operand a_, b_;
  LockedUse locked_c_;
  std::shared_ptr<const cl::Buffer> c_;
  ProductScratch scratch_;
  EarlierKernels kernels_;                       ///< that nobody has asked yet whether they failed
  std::shared_ptr<const cl::Event> sent_;        ///< uploads since the last product; null: none
  std::shared_ptr<const cl::Event> multiplied_;  ///< the last product
  std::vector<std::shared_ptr<const cl::Event>> fetched_;  ///< from locked pages
  std::vector<Landing> landings_;                          ///< of each block of C
  std::vector<std::size_t> rows_done_;   ///< of each block of C, as the walk counts them
  std::vector<GemmProblem> unfinished_;  ///< has room for all
  std::unique_ptr<PagesAhead> pages_;    ///< of a C that is new memory
};

}  // namespace duoblas

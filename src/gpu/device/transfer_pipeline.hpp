// Products of operands in memory that the device cannot reach, or that are too large for it. Blocks
// go to the device, are multiplied and come back, all at the same time and beside the caller's
// thread.
//
//   host threads   B | A0 | A1 | A2 | ..  C0 | C1 | ..   copies, pageable <-> page-locked
//   upload queue     B | A0 | A1 | A2 | ..
//   kernels                  0 |  1 |  2 | ..
//   download queue               C0 | C1 | C2 | ..
//
// (Here B fits and stays, and rows of A and C move: kernel_space/device_blocks.hpp says how else.)
#pragma once

#include <cstdint>
#include <future>
#include <memory>

#include "gpu/device/opened_device.hpp"
#include "gpu/gpu_side.hpp"
#include "gpu/level3/pipelined_level3.hpp"
#include "gpu/product/in_place.hpp"
#include "gpu/product/operand_sources.hpp"
#include "gpu/product/pipelined_product.hpp"
#include "gpu/streams/update_in_place.hpp"
#include "memory/copy_threads.hpp"
#include "problem/host_rect.hpp"

namespace duoblas {

/// Does one product after another, on a thread of its own. The device outlives it.
class TransferPipeline {
 public:
  /// \throws DeviceError.
  explicit TransferPipeline(OpenedDevice& device);
  ~TransferPipeline();  ///< waits for everything that was started

  /// Whether so much of a product is copied that the pipeline pays.
  static bool suits(const GemmProblem& part, Staged staged);

  /// Allocates everything and starts. The operands must live until the future is ready. The caller
  /// holds the device's mutex, which the product then takes until it ends. \throws DeviceError;
  /// then nothing of C was written. Later failures are in the future.
  std::future<PipelineOutcome> start(const GemmProblem& part, const KernelParams& kernel,
                                     const OperandSources& sources = {});

  /// Makes all the page-locked memory that transfers use. The caller holds the device's mutex.
  /// \throws DeviceError.
  void reserve();

  /// Copies rows to the start of a buffer, `pitch` >= their length apart, and waits. The caller
  /// holds the device's mutex. \throws DeviceError.
  void upload(const HostRect& from, const cl::Buffer& to, std::size_t pitch);

  /// The same for operands in memory that the device reaches.
  std::future<PipelineOutcome> start_in_place(const GemmProblem& part, const KernelParams& kernel,
                                              const DeviceBlocks& blocks, InPlaceOperands operands);

  /// The same for a level-3 call other than gemm; unbound operands are copied.
  std::future<Level3Outcome> start(const Level3Problem& problem, const KernelParams& kernel,
                                   const BlockSizes& sizes, Level3Operands operands);

  /// Starts an update of memory that the device reaches. The memory must live until the future is
  /// ready. The caller holds the device's mutex, which the update then takes until it ends. \throws
  /// std::bad_alloc.
  std::future<UpdateEnd> start(UpdatedMemory updated);

  /// The caller must hold the device's mutex while it uses them.
  TransferQueues& queues();

  /// Bytes of operands and results, of all products so far. The caller holds the device's mutex.
  std::uint64_t copied_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The device's pipeline, which is made if there is none yet. The caller holds its mutex. \throws
/// DeviceError.
TransferPipeline& pipeline_of(OpenedDevice& device);

}  // namespace duoblas

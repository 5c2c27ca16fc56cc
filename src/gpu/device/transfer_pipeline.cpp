#include "gpu/device/transfer_pipeline.hpp"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

#include <duoblas/error.hpp>

#include "gpu/device/work_thread.hpp"
#include "gpu/product/pipelined_product.hpp"
#include "os/signals_blocked.hpp"

namespace duoblas {
namespace {

// Filling page-locked blocks, 16 cores copy 9, 39, 79, 83 and 75 GB/s with 1, 4, 8, 12 and 16
// threads, and the bus carries 55 each way; sgemm at n = 4096 takes 26.6, 7.7, 6.4, 4.8 and 4.8 ms
// (bench_host_transfers).
constexpr int most_copy_threads = 12;

// Three quarters of the cores that the calling thread may use, minus the thread itself.
int copy_helpers() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  const int cores = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  return std::clamp(cores * 3 / 4, 1, most_copy_threads) - 1;
}

}  // namespace

struct TransferPipeline::State {
  explicit State(OpenedDevice& device) : queues(device, copy_helpers()) {}

  // The product is destroyed before the future is ready.
  template <typename Product>
  auto begin(std::shared_ptr<Product> product) {
    using Result = decltype(product->run());
    auto task =
        std::make_shared<std::packaged_task<Result()>>([product = std::move(product)]() mutable {
          const auto running = std::move(product);
          return running->run();
        });
    std::future<Result> done = task->get_future();
    thread.give([task] { (*task)(); });
    return done;
  }

  TransferQueues queues;
  WorkThread thread;  // ends before what it uses
};

TransferPipeline::TransferPipeline(OpenedDevice& device) {
  const SignalsBlocked for_new_threads;
  try {
    state_ = std::make_unique<State>(device);
  } catch (const std::system_error& error) {
    throw DeviceError(std::string("no thread for the transfers: ") + error.what());
  }
}

TransferPipeline::~TransferPipeline() = default;

bool TransferPipeline::suits(const GemmProblem& part, Staged staged) {
  // For fewer bytes starting the other threads takes longer than they save.
  constexpr std::int64_t least_bytes = std::int64_t{1} << 20;
  const std::int64_t elements = (staged.a ? part.m * part.k : 0) +
                                (staged.b ? part.k * part.n : 0) + (staged.c ? part.m * part.n : 0);
  return elements >= least_bytes / static_cast<std::int64_t>(element_size(part.precision));
}

void TransferPipeline::reserve() {
  state_->queues.operands.reserve();
  state_->queues.results.reserve(std::numeric_limits<std::size_t>::max() / 2);
}

TransferQueues& TransferPipeline::queues() {
  return state_->queues;
}

std::uint64_t TransferPipeline::copied_bytes() const {
  return state_->queues.copiers.bytes() - state_->queues.device.saved_bytes;
}

std::future<PipelineOutcome> TransferPipeline::start(const GemmProblem& part,
                                                     const KernelParams& kernel,
                                                     const OperandSources& sources) {
  const DeviceLimits limits = state_->queues.device.free_limits();
  const Packing packing{packs_a(kernel, part.op_a), packs_b(kernel, part.op_b)};
  const auto blocks = device_blocks(part, kernel, packing, limits);
  if (!blocks)
    throw DeviceError(
        std::to_string(limits.memory_bytes) +
        " bytes of device memory hold no block of this product; the CPU has to do it");
  return state_->begin(
      std::make_shared<PipelinedProduct>(state_->queues, part, kernel, *blocks, sources));
}

std::future<PipelineOutcome> TransferPipeline::start_in_place(const GemmProblem& part,
                                                              const KernelParams& kernel,
                                                              const DeviceBlocks& blocks,
                                                              InPlaceOperands operands) {
  TransferQueues& queues = state_->queues;
  return state_->begin(std::make_shared<InPlaceProduct>(queues.device, queues.copiers, part, kernel,
                                                        blocks, std::move(operands)));
}

std::future<UpdateEnd> TransferPipeline::start(UpdatedMemory updated) {
  TransferQueues& queues = state_->queues;
  return state_->begin(
      std::make_shared<UpdateInPlace>(queues.device, queues.copiers, std::move(updated)));
}

std::future<Level3Outcome> TransferPipeline::start(const Level3Problem& problem,
                                                   const KernelParams& kernel,
                                                   const BlockSizes& sizes,
                                                   Level3Operands operands) {
  return state_->begin(std::make_shared<PipelinedLevel3>(state_->queues, problem, kernel, sizes,
                                                         std::move(operands)));
}

void TransferPipeline::upload(const HostRect& from, const cl::Buffer& to, std::size_t pitch) {
  TransferQueues& queues = state_->queues;
  const LockedUse locked = queues.page_locks.hold(from.data, from.span());
  try {
    if (locked) {
      queues.uploads.write(to, from.data, {from.rows, from.row_bytes, from.pitch, pitch, 0}, true);
      return;
    }
    queues.operands.upload(from, to, 0, pitch);
    queues.operands.finish();
  } catch (...) {
    queues.drain();
    throw;
  }
}

TransferPipeline& pipeline_of(OpenedDevice& device) {
  if (!device.pipeline) device.pipeline = std::make_unique<TransferPipeline>(device);
  return *device.pipeline;
}

}  // namespace duoblas

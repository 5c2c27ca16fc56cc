#include "gpu/device/transfer_pipeline.hpp"

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <string>
#include <system_error>

#include <duoblas/error.hpp>

#include "os/affinity.hpp"
#include "os/signals_blocked.hpp"

namespace duoblas {
namespace {

// Filling page-locked blocks, 16 cores copy 9, 39, 79, 83 and 75 GB/s with 1, 4, 8, 12 and 16
// threads, and the bus carries 55 each way; sgemm at n = 4096 takes 26.6, 7.7, 6.4, 4.8 and 4.8 ms
// (docs/results/h200.md).
constexpr int most_copy_threads = 12;

// Three quarters of the cores that the calling thread may use, minus the thread itself.
int copy_helpers() {
  return std::clamp(cores_of_this_thread() * 3 / 4, 1, most_copy_threads) - 1;
}

}  // namespace

TransferPipeline::TransferPipeline(OpenedDevice& device) : queues_(device, copy_helpers()) {}

std::unique_ptr<TransferPipeline> TransferPipeline::make(OpenedDevice& device) {
  const SignalsBlocked for_new_threads;
  try {
    return std::unique_ptr<TransferPipeline>(new TransferPipeline(device));
  } catch (const std::system_error& error) {
    throw DeviceError(std::string("no thread for the transfers: ") + error.what());
  }
}

void TransferPipeline::reserve() {
  queues_.operands.reserve();
  queues_.results.reserve(std::numeric_limits<std::size_t>::max() / 2);
}

std::uint64_t TransferPipeline::copied_bytes() const {
  return queues_.copiers.bytes() - queues_.device.scratch.saved_bytes;
}

void TransferPipeline::upload(const HostRect& from, const cl::Buffer& to, std::size_t pitch) {
  const LockedUse locked = queues_.page_locks.hold(from.data, from.span());
  try {
    if (locked) {
      queues_.uploads.write(to, from.data, {from.rows, from.row_bytes, from.pitch, pitch, 0}, true);
      return;
    }
    queues_.operands.upload(from, to, 0, pitch);
    queues_.operands.finish();
  } catch (...) {
    queues_.drain();
    throw;
  }
}

void TransferQueues::drain() noexcept {
  device.drain();
  for (cl::Queue* queue : {&uploads, &downloads, &panels}) {
    try {
      queue->finish();
    } catch (const std::exception&) {
      // A device that cannot even finish is lost; nothing else can be waited for.
    }
  }
  operands.forget();
  results.forget();
}

}  // namespace duoblas

#include "memory/sharing_probe.hpp"

#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "memory/host_memory.hpp"
#include "opencl/mapping.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

std::size_t window_bytes() {
  return 16 * page_bytes();
}

using Block = std::unique_ptr<unsigned char, decltype(&free_host)>;

Block make_block(std::size_t bytes) {
  Block block(static_cast<unsigned char*>(allocate_host(bytes)), &free_host);
  if (!block) throw std::bad_alloc();
  return block;
}

std::vector<unsigned char> pattern(std::size_t bytes, unsigned seed) {
  std::vector<unsigned char> values(bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    values[i] = static_cast<unsigned char>((i * 131 + i / 251 + seed) & 0xff);
  }
  return values;
}

cl::RectCopy whole(std::size_t bytes) {
  return {1, bytes, bytes, bytes, 0};
}

using Bytes = std::unique_ptr<std::vector<unsigned char>, cl::DeletedUnlessHung>;

// The device must see what the host writes after the buffer was made, and the host must see what
// the device writes. The probe copies between buffers, since the device does that itself; a driver
// may serve reads and writes from the host's side.
bool shares(const cl::Context& context, cl::Queue& queue, unsigned char* host, std::size_t bytes) {
  const cl::Buffer wrapped = context.wrap(host, bytes, cl::Access::read_write);
  const cl::Buffer device = context.allocate(bytes, cl::Access::read_write);

  const auto from_host = pattern(bytes, 1);
  std::memcpy(host, from_host.data(), bytes);
  const cl::Event copied = queue.copy(wrapped, device, bytes);
  const Bytes seen(new std::vector<unsigned char>(bytes));
  queue.read(device, seen->data(), whole(bytes));
  queue.check_ended(copied);
  if (*seen != from_host) return false;

  const Bytes from_device(new std::vector<unsigned char>(pattern(bytes, 2)));
  queue.write(device, from_device->data(), whole(bytes), true);
  const cl::Event copied_back = queue.copy(device, wrapped, bytes);
  queue.finish();
  queue.check_ended(copied_back);
  return std::memcmp(host, from_device->data(), bytes) == 0;
}

double seconds_of_a_map(const cl::Context& context, cl::Queue& queue, unsigned char* host,
                        std::size_t bytes) {
  const cl::Buffer wrapped = context.wrap(host, bytes, cl::Access::read_write);
  std::vector<double> seconds(5);
  for (double& one : seconds) {
    const Stopwatch watch;
    const cl::Mapping mapping(queue, wrapped, cl::Access::read_write, bytes);
    one = watch.seconds();
  }
  queue.finish();
  return median(std::move(seconds));
}

// No copy may still be running when the memory is freed.
template <typename Try>
void attempt(cl::Queue& queue, Try&& run) noexcept {
  try {
    run();
  } catch (const std::exception&) {
    try {
      queue.finish();
    } catch (const std::exception&) {
      // there is nothing more to wait with
    }
  }
}

}  // namespace

SharingFacts probe_sharing(const cl::Context& context, cl::Queue& queue) noexcept {
  SharingFacts facts;
  facts.coherent = context.device().info.coherent;
  Block block(nullptr, &free_host);
  attempt(queue, [&] { block = make_block(window_bytes()); });
  for (SharedAlignment& alignment : facts.alignments) {
    if (!block) break;
    // Edges are odd multiples, so that no larger alignment is met by chance.
    const std::size_t from = alignment.bytes;
    const std::size_t bytes = window_bytes() / 2 - 2 * alignment.bytes;
    attempt(queue, [&] { alignment.shared = shares(context, queue, block.get() + from, bytes); });
    if (!alignment.shared) break;
    attempt(queue, [&] {
      alignment.map_seconds = seconds_of_a_map(context, queue, block.get() + from, bytes);
    });
  }
  // The device may still write there.
  if (cl::driver_hangs()) static_cast<void>(block.release());
  return facts;
}

}  // namespace duoblas

#include "gpu/device/direct_results.hpp"

#include <algorithm>
#include <utility>

namespace duoblas {

DirectResults::DirectResults(TransferQueues& queues, void* memory, std::size_t block_bytes)
    : DirectResults(queues) {
  const auto is_not_freed_here = [](std::byte*) {};
  for (std::size_t i = 0; i < blocks_at_once; ++i)
    saved_.push_back(
        {{static_cast<std::byte*>(memory) + i * block_bytes, is_not_freed_here}, block_bytes});
}

DirectResults::Block DirectResults::block_of(std::size_t bytes) {
  const auto pages = std::make_shared<PageBlock>(bytes);
  return {{pages, pages->data()}, pages->bytes()};
}

// A block that nobody holds any more serves again: fresh pages cost as much as the copy.
std::shared_ptr<std::byte> DirectResults::memory_for(std::size_t bytes) {
  const auto is_free = [](const Block& block) { return block.memory.use_count() == 1; };
  while (saved_.size() >= most_saved_ && std::ranges::none_of(saved_, is_free) && expected_ > 0)
    wait_for_oldest();
  for (Block& block : saved_)
    if (is_free(block)) {
      if (block.bytes < bytes) block = block_of(bytes);
      return block.memory;
    }
  saved_.push_back(block_of(bytes));
  return saved_.back().memory;
}

DirectResults::Saved DirectResults::overwrite(const BoundOperand& window, const HostRect& rows,
                                              OldValues values) {
  Saved old;
  if (values == OldValues::saved) {
    const auto memory = memory_for(rows.rows * rows.row_bytes);
    queues_.copiers.copy(
        {memory.get(), rows.row_bytes, rows.data, rows.pitch, rows.rows, rows.row_bytes});
    queues_.device.scratch.saved_bytes += rows.rows * rows.row_bytes;
    old = memory;
  }
  Written& next = in_flight_.emplace_back();
  next.rows.emplace(window, rows, values == OldValues::useless,
                    queues_.device.memory.facts().coherent);
  next.host = rows;
  next.old = old;
  return old;
}

DirectResults::Saved DirectResults::copy_of_saved() {
  Written& last = in_flight_.back();
  const std::size_t bytes = last.host.rows * last.host.row_bytes;
  const auto memory = memory_for(bytes);
  queues_.copiers.copy({memory.get(), bytes, last.old.get(), bytes, 1, bytes});
  queues_.device.scratch.saved_bytes += bytes;
  last.copy = memory;
  return memory;
}

void DirectResults::expect(std::shared_ptr<const cl::Event> done, EarlierKernels earlier,
                           std::size_t* rows_done, std::function<void()> admit) {
  Written& next = in_flight_[expected_];
  next.rows->expect(queues_.device.queue);
  next.done = std::move(done);
  next.earlier = std::move(earlier);
  next.rows_done = rows_done;
  next.admit = std::move(admit);
  ++expected_;
}

void DirectResults::wait_for_oldest() {
  Written& oldest = in_flight_.front();
  cl::Queue& queue = queues_.device.queue;
  // Drivers differ in whether a transfer fails after a product that failed, so both are checked.
  if (oldest.transferred) queues_.downloads.wait(*oldest.transferred);
  queue.wait(*oldest.done);
  require_all(queue, oldest.earlier);
  queues_.operands.check_ended();
  if (oldest.admit) oldest.admit();
  if (oldest.rows) queues_.device.memory.count_staged(oldest.rows->arrive(queue));
  if (oldest.rows_done != nullptr) *oldest.rows_done = oldest.host.rows;
  ++arrived_;
  in_flight_.pop_front();
  --expected_;
}

std::shared_ptr<const cl::Event> DirectResults::send_for(const BoundOperand& from,
                                                         const HostRect& to,
                                                         std::shared_ptr<const cl::Event> done,
                                                         EarlierKernels earlier,
                                                         std::size_t* rows_done) {
  queues_.downloads.start_after(*done);
  Written& next = in_flight_.emplace_back();
  next.host = to;
  next.transferred = std::make_shared<cl::Event>(queues_.downloads.read_later(
      *from.buffer, to.data,
      {to.rows, to.row_bytes, to.pitch, from.pitch_bytes, from.offset_bytes}));
  next.done = std::move(done);
  next.earlier = std::move(earlier);
  next.rows_done = rows_done;
  ++expected_;
  queues_.downloads.flush();
  return next.transferred;
}

bool DirectResults::advance() {
  if (expected_ == 0) return false;
  const Written& oldest = in_flight_.front();
  if (!queues_.device.queue.has_ended(oldest.transferred ? *oldest.transferred : *oldest.done))
    return false;
  wait_for_oldest();
  return true;
}

bool DirectResults::wait() {
  if (expected_ == 0) return false;
  wait_for_oldest();
  return true;
}

void DirectResults::undo() noexcept {
  for (Written& lines : in_flight_) {
    if (lines.rows) lines.rows->restore();
    if (!lines.old) continue;
    const HostRect& host = lines.host;
    queues_.copiers.copy(
        {host.data, host.pitch, lines.old.get(), host.row_bytes, host.rows, host.row_bytes});
  }
  in_flight_.clear();
  expected_ = 0;
}

}  // namespace duoblas

#include "gpu/device/lines_in_place.hpp"

#include <algorithm>
#include <utility>

namespace duoblas {
LinesInPlace::LinesInPlace(TransferQueues& queues, void* memory, std::size_t block_bytes)
    : LinesInPlace(queues) {
  const auto is_not_freed_here = [](std::byte*) {};
  for (std::size_t i = 0; i < blocks_at_once; ++i)
    kept_.push_back(
        {{static_cast<std::byte*>(memory) + i * block_bytes, is_not_freed_here}, block_bytes});
}

LinesInPlace::Block LinesInPlace::block_of(std::size_t bytes) {
  const auto pages = std::make_shared<PageBlock>(bytes);
  return {{pages, pages->data()}, pages->bytes()};
}

// A block that nobody holds any more serves again: fresh pages cost as much as the copy.
std::shared_ptr<std::byte> LinesInPlace::memory_for(std::size_t bytes) {
  const auto is_free = [](const Block& block) { return block.memory.use_count() == 1; };
  while (kept_.size() >= most_kept_ && std::ranges::none_of(kept_, is_free) && expected_ > 0)
    wait_for_oldest();
  for (Block& block : kept_)
    if (is_free(block)) {
      if (block.bytes < bytes) block = block_of(bytes);
      return block.memory;
    }
  kept_.push_back(block_of(bytes));
  return kept_.back().memory;
}

LinesInPlace::Kept LinesInPlace::overwrite(const BoundOperand& window, const HostRect& rows,
                                           OldValues values) {
  Kept old;
  if (values == OldValues::kept) {
    const auto memory = memory_for(rows.rows * rows.row_bytes);
    queues_.copiers.copy(
        {memory.get(), rows.row_bytes, rows.data, rows.pitch, rows.rows, rows.row_bytes});
    queues_.device.scratch.saved_bytes += rows.rows * rows.row_bytes;
    old = memory;
  }
  in_flight_.push_back({RowsInPlace(window, rows, values == OldValues::useless,
                                    queues_.device.memory.facts().coherent),
                        rows,
                        old,
                        nullptr,
                        nullptr,
                        {},
                        nullptr});
  return old;
}

LinesInPlace::Kept LinesInPlace::copy_of_kept() {
  Written& last = in_flight_.back();
  const std::size_t bytes = last.host.rows * last.host.row_bytes;
  const auto memory = memory_for(bytes);
  queues_.copiers.copy({memory.get(), bytes, last.old.get(), bytes, 1, bytes});
  queues_.device.scratch.saved_bytes += bytes;
  last.copy = memory;
  return memory;
}

void LinesInPlace::expect(std::shared_ptr<const cl::Event> done, EarlierKernels earlier,
                          std::size_t* rows_done) {
  Written& next = in_flight_[expected_];
  next.rows.expect(queues_.device.queue);
  next.done = std::move(done);
  next.earlier = std::move(earlier);
  next.rows_done = rows_done;
  ++expected_;
}

void LinesInPlace::wait_for_oldest() {
  Written& oldest = in_flight_.front();
  cl::Queue& queue = queues_.device.queue;
  queue.wait(*oldest.done);
  require_all(queue, oldest.earlier);
  queues_.operands.check_ended();
  queues_.device.memory.count_staged(oldest.rows.arrive(queue));
  if (oldest.rows_done != nullptr) *oldest.rows_done = oldest.host.rows;
  ++arrived_;
  in_flight_.pop_front();
  --expected_;
}

bool LinesInPlace::advance() {
  if (expected_ == 0 || !queues_.device.queue.has_ended(*in_flight_.front().done)) return false;
  wait_for_oldest();
  return true;
}

bool LinesInPlace::wait() {
  if (expected_ == 0) return false;
  wait_for_oldest();
  return true;
}

void LinesInPlace::undo() noexcept {
  for (const Written& lines : in_flight_) {
    if (!lines.old) continue;
    const HostRect& host = lines.host;
    queues_.copiers.copy(
        {host.data, host.pitch, lines.old.get(), host.row_bytes, host.rows, host.row_bytes});
  }
  in_flight_.clear();
  expected_ = 0;
}

}  // namespace duoblas

#include "gpu/streams/update_in_place.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "gpu/device/transfer_pipeline.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

// While one piece is written the next one waits for the device, and a third one's old values are
// kept.
constexpr std::size_t kept_pieces = 3;

}  // namespace

std::int64_t outputs_of_piece(const UpdatedMemory& updated) {
  const auto wanted = static_cast<std::int64_t>(update_piece_bytes / updated.bytes_of_output);
  return round_up(std::max<std::int64_t>(wanted, 1), updated.unit);
}

UpdateInPlace::UpdateInPlace(OpenedDevice& device, CopyThreads& copiers, UpdatedMemory updated)
    : device_(device),
      copiers_(copiers),
      updated_(std::move(updated)),
      each_(outputs_of_piece(updated_)) {
  const std::size_t bytes = static_cast<std::size_t>(each_) * updated_.bytes_of_output;
  kept_ = KeptMemory(kept_pieces * bytes);
  for (std::size_t i = 0; i < kept_pieces; ++i)
    spare_.push_back(static_cast<char*>(kept_.data()) + i * bytes);
}

void UpdateInPlace::enqueue(Interval outputs) {
  if (spare_.empty()) wait_for_oldest();
  char* const old = spare_.back();
  spare_.pop_back();
  const HostRect rows = updated_.rows(outputs);
  copiers_.copy({old, rows.row_bytes, rows.data, rows.pitch, rows.rows, rows.row_bytes});
  device_.scratch.saved_bytes += rows.rows * rows.row_bytes;
  in_flight_.push_back(
      {outputs,
       old,
       RowsInPlace(updated_.operand(outputs), rows, false, device_.memory.facts().coherent),
       {}});
  in_flight_.back().done = updated_.launch(outputs);
  in_flight_.back().rows.expect(device_.queue);
}

void UpdateInPlace::wait_for_oldest() {
  Piece& oldest = in_flight_.front();
  device_.queue.wait(oldest.done);
  device_.memory.count_staged(oldest.rows.arrive(device_.queue));
  spare_.push_back(oldest.old);
  done_ += oldest.outputs.count;
  in_flight_.pop_front();
}

void UpdateInPlace::restore(const Piece& piece) noexcept {
  const HostRect rows = updated_.rows(piece.outputs);
  copiers_.copy({rows.data, rows.pitch, piece.old, rows.row_bytes, rows.rows, rows.row_bytes});
}

UpdateEnd UpdateInPlace::run() noexcept {
  const std::lock_guard guard(device_.mutex);
  UpdateEnd end;
  try {
    for (std::int64_t first = 0; first < updated_.outputs; first += each_)
      enqueue({first, std::min(each_, updated_.outputs - first)});
    while (!in_flight_.empty()) wait_for_oldest();
  } catch (...) {
    end.failure = std::current_exception();
    device_.drain();
    for (const Piece& piece : in_flight_) restore(piece);
    in_flight_.clear();
  }
  end.done = done_;
  end.seconds = watch_.seconds();
  return end;
}

std::future<UpdateEnd> start_update(OpenedDevice& device, UpdatedMemory updated) {
  TransferPipeline& pipeline = device.pipeline();
  return pipeline.start(
      std::make_shared<UpdateInPlace>(device, pipeline.queues().copiers, std::move(updated)));
}

}  // namespace duoblas

#include "memory/download_ring.hpp"

#include <algorithm>
#include <utility>

#include <duoblas/error.hpp>

#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// 32 MiB: while one block is copied (50 us by 8 threads) others are on the bus (75 us each).
constexpr std::size_t most_blocks = 8;

void* note_in(const PinnedMemory& block) {
  return static_cast<char*>(block.data()) + DownloadRing::block_bytes - ResultNote::most_bytes;
}

}  // namespace

DownloadRing::DownloadRing(const cl::Context& context, cl::Queue& queue, CopyThreads& threads,
                           std::function<void()> before_publishing)
    : context_(context),
      queue_(queue),
      threads_(threads),
      before_publishing_(std::move(before_publishing)) {
  free_.reserve(most_blocks);
}

// Without a block nothing would come, and nobody would wait for it.
void DownloadRing::expect(Result result) {
  if (free_.empty() && in_flight_.empty()) add_blocks(1);
  expected_.push_back({std::move(result)});
}

void DownloadRing::reserve(std::size_t bytes, std::size_t least_ahead) {
  copies_ahead_ = bytes >= least_ahead;
  add_blocks(std::min(most_blocks, (bytes + block_bytes - 1) / block_bytes));
}

void DownloadRing::add_blocks(std::size_t wanted) {
  while (free_.size() < wanted)
    free_.push_back(std::make_unique<PinnedMemory>(context_, queue_, block_bytes));
}

void DownloadRing::send_for_what_fits() {
  bool sent = false;
  while (!expected_.empty() && !free_.empty()) {
    auto& [result, ordered] = expected_.front();
    if (!ordered) queue_.start_after(*result.after);
    ordered = true;
    HostRect& to = result.to;
    const std::size_t pitch = result.leaves_gaps ? to.row_bytes : result.pitch;
    const std::size_t room = block_bytes - (result.note.from ? ResultNote::most_bytes : 0);
    const std::size_t count = std::min(to.rows, std::max<std::size_t>(1, room / pitch));
    // Stored before the transfer starts, because the memory must not be freed if that fails.
    Piece& piece = in_flight_.emplace_back();
    piece.memory = std::move(free_.back());
    free_.pop_back();
    piece.rows = {to.data, to.pitch, piece.memory->data(), pitch, count, to.row_bytes};
    piece.after = result.after;
    piece.earlier = std::exchange(result.earlier, {});
    piece.rows_done = result.rows_done;
    piece.check = result.check;
    piece.note = std::exchange(result.note, {});
    if (piece.note.from)
      piece.earlier.push_back(std::make_shared<cl::Event>(
          queue_.read_later(*piece.note.from, note_in(*piece.memory), piece.note.bytes, 0)));
    const std::size_t bytes = (count - 1) * pitch + to.row_bytes;
    piece.arrived = std::make_shared<cl::Event>(
        result.leaves_gaps
            ? queue_.read_later(*result.from, piece.memory->data(),
                                {count, to.row_bytes, pitch, result.pitch, result.offset})
            : queue_.read_later(*result.from, piece.memory->data(), bytes, result.offset));
    if (count == to.rows) ends_.push_back(piece.arrived);
    sent = true;
    result.offset += count * result.pitch;
    to.data = static_cast<char*>(to.data) + count * to.pitch;
    to.rows -= count;
    if (to.rows == 0) expected_.pop_front();
  }
  if (sent) queue_.flush();
}

// Drivers differ in what a download does behind a product that failed, and a product behind packing
// that failed. So all of them are checked.
void DownloadRing::begin_copy(Piece& piece) {
  queue_.wait(*piece.arrived);
  queue_.wait(*piece.after);
  for (const auto& event : piece.earlier) queue_.check_ended(*event);
  before_publishing_();
  if (piece.note.from) piece.note.admit(note_in(*piece.memory));
  if (piece.check != nullptr && !piece.check->is_right(piece.rows))
    throw DeviceError("its result is wrong");
  copy_seconds_ += seconds_of([&] {
    if (copies_ahead_)
      piece.copy = threads_.start(piece.rows);
    else
      threads_.copy(piece.rows);
  });
  ++copying_;
}

void DownloadRing::end_oldest_copy() noexcept {
  Piece& piece = in_flight_.front();
  copy_seconds_ += seconds_of([&] { threads_.finish(piece.copy); });
  *piece.rows_done += piece.rows.rows;
  free_.push_back(std::move(piece.memory));
  in_flight_.pop_front();
  --copying_;
}

bool DownloadRing::advance() {
  send_for_what_fits();
  bool any = false;
  if (copying_ < in_flight_.size() && queue_.has_ended(*in_flight_[copying_].arrived)) {
    begin_copy(in_flight_[copying_]);
    any = true;
  }
  for (; copying_ > 0 && threads_.has_ended(in_flight_.front().copy); any = true) end_oldest_copy();
  if (any) send_for_what_fits();
  return any;
}

void DownloadRing::wait_for_oldest() {
  if (advance()) return;
  if (copying_ == 0) {
    queue_.wait(*in_flight_.front().arrived);
    return;
  }
  end_oldest_copy();
  send_for_what_fits();
}

std::shared_ptr<const cl::Event> DownloadRing::sent_for(std::size_t result) {
  send_for_what_fits();
  while (ends_.size() <= result) wait_for_oldest();
  return ends_[result];
}

void DownloadRing::finish() {
  send_for_what_fits();
  while (!in_flight_.empty()) wait_for_oldest();
  ends_.clear();
}

void DownloadRing::forget() noexcept {
  expected_.clear();
  while (copying_ > 0) end_oldest_copy();
  for (Piece& piece : in_flight_) free_.push_back(std::move(piece.memory));
  in_flight_.clear();
  ends_.clear();
}

}  // namespace duoblas

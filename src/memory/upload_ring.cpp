#include "memory/upload_ring.hpp"

#include <algorithm>
#include <utility>

#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// One block is filled while another is fetched; more blocks even out a host that is late now and
// then.
constexpr std::size_t most_blocks = 6;
// The others are for uploads that nobody expects.
constexpr std::size_t most_ahead = most_blocks - 2;

}  // namespace

UploadRing::UploadRing(const cl::Context& context, cl::Queue& queue, CopyThreads& threads,
                       std::function<bool()> meanwhile)
    : context_(context), queue_(queue), threads_(threads), meanwhile_(std::move(meanwhile)) {
  blocks_.reserve(most_blocks);
}

bool UploadRing::has_room_to_save(std::size_t blocks) noexcept {
  try {
    while (saved_.size() < blocks)
      saved_.push_back({std::make_unique<PinnedMemory>(context_, queue_, block_bytes), {}});
    return true;
  } catch (...) {
    return false;
  }
}

// The block gets other memory at once.
void UploadRing::save(Block& block, const RowsCopy& part) {
  if (saved_count_ == saved_.size())
    saved_.push_back({std::make_unique<PinnedMemory>(context_, queue_, block_bytes), {}});
  Saved& saved = saved_[saved_count_++];
  std::swap(saved.memory, block.memory);
  saved.back = {const_cast<void*>(part.from),
                part.from_pitch,
                saved.memory->data(),
                part.to_pitch,
                part.rows,
                part.row_bytes};
  block.use = Use::none;
  block.sent.reset();
}

void UploadRing::restore_saved() noexcept {
  for (std::size_t i = 0; i < saved_count_; ++i) threads_.copy(saved_[i].back);
  drop_saved();
}

UploadRing::Block& UploadRing::add_block() {
  Block block;
  block.memory = std::make_unique<PinnedMemory>(context_, queue_, block_bytes);
  blocks_.push_back(std::move(block));
  return blocks_.back();
}

void UploadRing::reserve() {
  while (blocks_.size() < most_blocks) add_block();
}

UploadRing::Block* UploadRing::oldest(Use use) {
  Block* found = nullptr;
  for (Block& block : blocks_)
    if (block.use == use && (found == nullptr || block.since < found->since)) found = &block;
  return found;
}

bool UploadRing::is_any_free() {
  if (blocks_.size() < most_blocks || oldest(Use::none) != nullptr) return true;
  const Block* const sent = oldest(Use::sent);
  return sent != nullptr && queue_.has_ended(*sent->sent);
}

UploadRing::Block& UploadRing::free_block() {
  if (Block* const block = oldest(Use::none)) return *block;
  if (blocks_.size() < most_blocks) return add_block();
  Block& block = *oldest(Use::sent);
  wait_for(block);
  return block;
}

// A failed upload is reported once.
void UploadRing::wait_for(Block& block) {
  if (block.use != Use::sent) return;
  block.use = Use::none;
  const auto sent = std::move(block.sent);
  queue_.flush();
  while (!queue_.has_ended(*sent) && meanwhile_()) continue;
  queue_.wait(*sent);
}

void UploadRing::expect_nothing() noexcept {
  expected_.clear();
  expected_bytes_ = 0;
  least_ahead_ = CopyThreads::least_bytes_ahead;
  begun_ = 0;
  rest_ = {};
  while (Block* const block = oldest(Use::filled)) {
    threads_.finish(block->copy);
    block->use = Use::none;
  }
}

void UploadRing::finish() {
  expect_nothing();
  for (Block& block : blocks_) wait_for(block);
  std::shared_ptr<const cl::Event> last;
  {
    const std::lock_guard guard(mutex_);
    if (!unasked_.empty()) last = unasked_.back();
  }
  if (!last) return;
  queue_.flush();
  queue_.wait(*last);
  check_ended();
}

void UploadRing::note(std::shared_ptr<const cl::Event> sent) {
  const std::lock_guard guard(mutex_);
  unasked_.push_back(std::move(sent));
}

void UploadRing::check_ended() {
  const std::lock_guard guard(mutex_);
  for (; !unasked_.empty() && queue_.has_ended(*unasked_.front()); unasked_.pop_front())
    queue_.check_ended(*unasked_.front());
}

void UploadRing::forget() noexcept {
  expect_nothing();
  for (Block& block : blocks_) {
    block.sent.reset();
    block.use = Use::none;
  }
  const std::lock_guard guard(mutex_);
  unasked_.clear();
}

UploadRing::Rest UploadRing::rest_of(const HostRect& from, std::size_t device_pitch,
                                     const UploadKind& kind) {
  Rest rest{from, kind.gaps == Gaps::free ? device_pitch : from.row_bytes, 0, kind.triangle};
  if (from.row_bytes == 0) rest.from.rows = 0;
  return rest;
}

// As many rows as a block holds, or a piece of a row that is longer than a block.
RowsCopy UploadRing::next_part(Rest& rest) {
  HostRect& from = rest.from;
  auto* const data = static_cast<char*>(from.data);
  if (const std::size_t whole_rows = block_bytes / rest.pitch; whole_rows > 0) {
    const std::size_t rows = std::min(whole_rows, from.rows);
    from.data = data + rows * from.pitch;
    from.rows -= rows;
    const auto triangle = rest.triangle;
    if (rest.triangle) rest.triangle->diagonal += static_cast<std::int64_t>(rows);
    return {nullptr, rest.pitch, data, from.pitch, rows, from.row_bytes, false, triangle};
  }
  const std::size_t done = rest.done_of_row, bytes = std::min(block_bytes, from.row_bytes - done);
  auto triangle = rest.triangle;
  if (triangle)
    triangle->diagonal -= static_cast<std::int64_t>(done / element_size(triangle->precision));
  rest.done_of_row += bytes;
  if (rest.done_of_row == from.row_bytes) {
    rest.done_of_row = 0;
    from.data = data + from.pitch;
    --from.rows;
    if (rest.triangle) ++rest.triangle->diagonal;
  }
  return {nullptr, bytes, data + done, from.pitch, 1, bytes, false, triangle};
}

UploadRing::Block& UploadRing::unexpected_block() {
  Block& block = free_block();
  block.use = Use::filled;
  block.copy = CopyThreads::Started::ended;
  fill_ahead();
  return block;
}

// The caller's thread copies too.
UploadRing::Block& UploadRing::copied(const RowsCopy& part) {
  Block& block = unexpected_block();
  RowsCopy copy = part;
  copy.to = block.memory->data();
  copy_seconds_ += seconds_of([&] { threads_.copy(copy); });
  return block;
}

UploadRing::Block& UploadRing::next_filled() {
  if (oldest(Use::filled) == nullptr) fill_next();
  Block& block = *oldest(Use::filled);
  fill_ahead();
  copy_seconds_ += seconds_of([&] { threads_.finish(block.copy); });
  return block;
}

void UploadRing::fill_next() {
  if (rest_.from.rows == 0) rest_ = expected_[begun_++];
  RowsCopy copy = next_part(rest_);
  Block& block = free_block();
  copy.to = block.memory->data();
  // The device fetches it soon. A dgemm of 4096 took 6.0 ms, and 7.0 past the caches.
  copy.through_caches = true;
  copy_seconds_ += seconds_of([&] { block.copy = threads_.start(copy); });
  block.use = Use::filled;
  block.since = ++changes_;
}

void UploadRing::fill_ahead() {
  const auto filled = [&] {
    return static_cast<std::size_t>(std::ranges::count(blocks_, Use::filled, &Block::use));
  };
  while (fills_ahead() && is_any_left() && threads_.have_helpers() && filled() < most_ahead &&
         is_any_free())
    fill_next();
}

void UploadRing::expect(const HostRect& from, std::size_t device_pitch, const UploadKind& kind) {
  const Rest whole = rest_of(from, device_pitch, kind);
  if (whole.from.rows == 0) return;
  expected_.push_back(whole);
  expected_bytes_ += from.rows * from.row_bytes;
}

void UploadRing::note_sent(Block& block, cl::Event sent) {
  block.sent = std::make_shared<cl::Event>(std::move(sent));
  block.use = Use::sent;
  block.since = ++changes_;
  note(block.sent);
  // Small jobs flush once, behind all of a step's blocks.
  if (fills_ahead()) queue_.flush();
}

std::shared_ptr<const cl::Event> UploadRing::upload_made(std::size_t rows, std::size_t row_bytes,
                                                         const cl::Buffer& to, std::size_t offset,
                                                         std::size_t device_pitch,
                                                         const std::function<void(void*)>& make) {
  Block& block = unexpected_block();
  make(block.memory->data());
  note_sent(block, queue_.write_later(to, block.memory->data(),
                                      {rows, row_bytes, row_bytes, device_pitch, offset}));
  return block.sent;
}

std::shared_ptr<const cl::Event> UploadRing::upload(const HostRect& from, const cl::Buffer& to,
                                                    std::size_t offset, std::size_t device_pitch,
                                                    const UploadKind& kind) {
  std::shared_ptr<const cl::Event> last;
  const Rest whole = rest_of(from, device_pitch, kind);
  if (whole.from.rows == 0) return last;
  if (expected_.empty()) expect(from, device_pitch, kind);
  const bool is_expected = expected_.front() == whole, is_filled = is_expected && fills_ahead();
  std::size_t rows_done = 0;
  for (Rest rest = whole; rest.from.rows > 0;) {
    const std::size_t at = offset + rows_done * device_pitch + rest.done_of_row;
    const RowsCopy part = next_part(rest);
    rows_done = from.rows - rest.from.rows;
    Block& block = is_filled ? next_filled() : copied(part);
    const std::size_t bytes = (part.rows - 1) * part.to_pitch + part.row_bytes;
    const bool is_dense = kind.gaps == Gaps::free || part.row_bytes < from.row_bytes;
    note_sent(block, is_dense ? queue_.write_later(to, block.memory->data(), bytes, at)
                              : queue_.write_later(
                                    to, block.memory->data(),
                                    {part.rows, part.row_bytes, part.to_pitch, device_pitch, at}));
    last = block.sent;
    if (kind.is_saved) save(block, part);
  }
  if (is_filled) --begun_;
  if (is_expected) expected_.pop_front();
  if (expected_.empty()) expected_bytes_ = 0;
  return last;
}

}  // namespace duoblas

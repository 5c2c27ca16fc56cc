#include "memory/upload_ring.hpp"

#include <algorithm>
#include <utility>

#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// A block of 4 MiB takes 75 us on a bus of 55 GB/s (an H200's), far longer than enqueueing it. One
// block is filled while another is fetched; more blocks even out a host that is late now and then.
constexpr std::size_t block_bytes = std::size_t{4} << 20;
constexpr std::size_t most_blocks = 6;

}  // namespace

UploadRing::UploadRing(const cl::Context& context, cl::Queue& queue, CopyThreads& threads,
                       std::function<bool()> meanwhile)
    : context_(context), queue_(queue), threads_(threads), meanwhile_(std::move(meanwhile)) {}

UploadRing::Block& UploadRing::add_block() {
  Block block;
  block.memory = std::make_unique<PinnedMemory>(context_, queue_, block_bytes);
  blocks_.push_back(std::move(block));
  return blocks_.back();
}

void UploadRing::reserve() {
  while (blocks_.size() < most_blocks) add_block();
}

UploadRing::Block& UploadRing::next_block() {
  if (blocks_.size() < most_blocks) return add_block();
  Block& block = blocks_[next_++ % most_blocks];
  wait_for(block);
  return block;
}

// A failed upload is reported once.
void UploadRing::wait_for(Block& block) {
  const auto sent = std::move(block.sent);
  if (!sent) return;
  queue_.flush();
  while (!queue_.has_ended(*sent) && meanwhile_()) continue;
  queue_.wait(*sent);
}

void UploadRing::finish() {
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
  for (Block& block : blocks_) block.sent.reset();
  const std::lock_guard guard(mutex_);
  unasked_.clear();
}

std::shared_ptr<const cl::Event> UploadRing::upload(const HostRect& from, const cl::Buffer& to,
                                                    std::size_t offset, std::size_t device_pitch,
                                                    Gaps gaps) {
  std::shared_ptr<const cl::Event> last;
  if (from.rows == 0 || from.row_bytes == 0) return last;
  const auto send = [&](const HostRect& part, std::size_t pitch, std::size_t at) {
    Block& block = next_block();
    copy_seconds_ += seconds_of([&] {
      threads_.copy(
          {block.memory->data(), pitch, part.data, part.pitch, part.rows, part.row_bytes});
    });
    const std::size_t bytes = (part.rows - 1) * pitch + part.row_bytes;
    block.sent = std::make_shared<cl::Event>(
        gaps == Gaps::free
            ? queue_.write_later(to, block.memory->data(), bytes, at)
            : queue_.write_later(to, block.memory->data(),
                                 {part.rows, part.row_bytes, pitch, device_pitch, at}));
    note(block.sent);
    last = block.sent;
  };
  const std::size_t pitch = gaps == Gaps::free ? device_pitch : from.row_bytes;
  const std::size_t whole_rows = block_bytes / pitch;
  for (std::size_t row = 0; row < from.rows;) {
    HostRect part = from;
    part.data = static_cast<char*>(from.data) + row * from.pitch;
    if (whole_rows > 0) {
      part.rows = std::min(whole_rows, from.rows - row);
      send(part, pitch, offset + row * device_pitch);
      row += part.rows;
      continue;
    }
    // A row that is longer than a block, in pieces.
    part.rows = 1;
    for (std::size_t done = 0; done < from.row_bytes; done += block_bytes) {
      part.row_bytes = std::min(block_bytes, from.row_bytes - done);
      send(part, part.row_bytes, offset + row * device_pitch + done);
      part.data = static_cast<char*>(part.data) + block_bytes;
    }
    ++row;
  }
  return last;
}

}  // namespace duoblas

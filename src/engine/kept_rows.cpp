#include "engine/kept_rows.hpp"

#include <algorithm>
#include <new>
#include <system_error>

#include "cpu/signals_blocked.hpp"
#include "memory/copy_past_caches.hpp"

namespace duoblas {
namespace {

// Small enough that the caller's thread and the other one end together.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

}  // namespace

KeptRows::KeptRows(const HostRect& rows)
    : rows_(rows),
      rows_at_once_(
          std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(1, rows.row_bytes))),
      memory_(rows.rows * rows.row_bytes),
      left_(rows.rows) {
  const SignalsBlocked for_new_thread;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    // The caller's thread can copy.
  }
}

KeptRows::~KeptRows() {
  {
    const std::lock_guard guard(mutex_);
    left_ = 0;
  }
  if (thread_.joinable()) thread_.join();
}

KeptRows::Piece KeptRows::take() {
  const std::size_t end = left_;
  left_ -= std::min(left_, rows_at_once_);
  return {left_, end};
}

void KeptRows::copy(const Piece& piece) const {
  for (std::size_t row = piece.first; row < piece.end; ++row)
    copy_past_caches(static_cast<char*>(memory_.data()) + row * rows_.row_bytes,
                     static_cast<const char*>(rows_.data) + row * rows_.pitch, rows_.row_bytes);
  end_copies_past_caches();
}

void KeptRows::wait_for(std::size_t first_row) {
  std::unique_lock lock(mutex_);
  while (left_ > first_row) {
    const Piece piece = take();
    lock.unlock();
    copy(piece);
    lock.lock();
  }
  changed_.wait(lock, [&] { return under_way_.end <= first_row; });
}

void KeptRows::serve() noexcept {
  std::unique_lock lock(mutex_);
  while (left_ > 0) {
    under_way_ = take();
    lock.unlock();
    copy(under_way_);
    lock.lock();
    under_way_ = {0, 0};
    changed_.notify_all();
  }
}

}  // namespace duoblas

#include "engine/kept_pieces.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "memory/copy_past_caches.hpp"
#include "os/signals_blocked.hpp"

namespace duoblas {

KeptPieces::KeptPieces(std::size_t bytes, std::size_t pieces, std::function<void(std::size_t)> copy)
    : memory_(bytes), copy_(std::move(copy)), end_(pieces), under_way_(pieces) {
  const SignalsBlocked for_new_thread;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    // The caller's thread can copy.
  }
}

KeptPieces::~KeptPieces() {
  {
    const std::lock_guard guard(mutex_);
    next_ = end_;
  }
  if (thread_.joinable()) thread_.join();
}

void KeptPieces::keep(std::size_t at, const void* from, std::size_t bytes) const {
  copy_past_caches(static_cast<char*>(data()) + at, from, bytes);
}

void KeptPieces::copy(std::size_t piece) const {
  copy_(piece);
  end_copies_past_caches();
}

void KeptPieces::wait_for(std::size_t piece) {
  const std::size_t wanted = std::min(piece, end_);
  std::unique_lock lock(mutex_);
  while (next_ < wanted) {
    const std::size_t own = next_++;
    lock.unlock();
    copy(own);
    lock.lock();
  }
  changed_.wait(lock, [&] { return under_way_ >= wanted; });
}

void KeptPieces::serve() noexcept {
  std::unique_lock lock(mutex_);
  while (next_ < end_) {
    under_way_ = next_++;
    lock.unlock();
    copy(under_way_);
    lock.lock();
    under_way_ = end_;
    changed_.notify_all();
  }
}

namespace {

// Small enough that the caller's thread and the other one end together.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

}  // namespace

KeptRows::KeptRows(const HostRect& rows)
    : rows_(rows),
      rows_at_once_(
          std::max<std::size_t>(1, piece_bytes / std::max<std::size_t>(1, rows.row_bytes))),
      pieces_(rows.rows * rows.row_bytes, pieces_of(rows.rows),
              [this](std::size_t piece) { copy(piece); }) {}

// The last rows are piece 0.
std::size_t KeptRows::pieces_of(std::size_t rows) const {
  return (rows + rows_at_once_ - 1) / rows_at_once_;
}

void KeptRows::copy(std::size_t piece) const {
  const std::size_t end = rows_.rows - piece * rows_at_once_;
  for (std::size_t row = end - std::min(end, rows_at_once_); row < end; ++row)
    pieces_.keep(row * rows_.row_bytes, static_cast<const char*>(rows_.data) + row * rows_.pitch,
                 rows_.row_bytes);
}

void KeptRows::wait_for(std::size_t first_row) {
  pieces_.wait_for(pieces_of(rows_.rows - std::min(first_row, rows_.rows)));
}

}  // namespace duoblas

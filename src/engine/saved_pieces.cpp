#include "engine/saved_pieces.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "memory/copy_past_caches.hpp"
#include "os/signals_blocked.hpp"

namespace duoblas {

SavedPieces::SavedPieces(std::size_t bytes, std::size_t pieces,
                         std::function<void(std::size_t)> copy)
    : memory_(bytes), copy_(std::move(copy)), end_(pieces), under_way_(pieces) {
  const SignalsBlocked for_new_thread;
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error&) {
    // The caller's thread can copy.
  }
}

SavedPieces::~SavedPieces() {
  {
    const std::lock_guard guard(mutex_);
    next_ = end_;
  }
  if (thread_.joinable()) thread_.join();
}

void SavedPieces::keep(std::size_t at, const void* from, std::size_t bytes) const {
  copy_past_caches(static_cast<char*>(data()) + at, from, bytes);
}

void SavedPieces::copy(std::size_t piece) const {
  copy_(piece);
  end_copies_past_caches();
}

void SavedPieces::wait_for(std::size_t piece) {
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

void SavedPieces::serve() noexcept {
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

}  // namespace duoblas

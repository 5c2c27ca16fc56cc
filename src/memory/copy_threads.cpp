#include "memory/copy_threads.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include "memory/copy_past_caches.hpp"

namespace duoblas {
namespace {

// Small enough that a slow thread delays the end by little (20 us at 10 GB/s), large enough that
// claiming a piece costs nothing.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

// At most piece_bytes, such that all threads get equally many pieces: 16 pieces take 12 threads as
// long as 24.
std::size_t even_piece(std::size_t bytes, std::size_t threads) {
  constexpr std::size_t unit = 4096;
  const std::size_t rounds = (bytes + threads * piece_bytes - 1) / (threads * piece_bytes);
  const std::size_t even = (bytes + rounds * threads - 1) / (rounds * threads);
  return (even + unit - 1) / unit * unit;
}
// Longer than the gap between two copies of a job; waking a thread takes about as long.
constexpr auto awake_time = std::chrono::microseconds(60);

// The number of a piece of work and of its unclaimed pieces, in one word. So a thread that claims a
// piece knows which work it belongs to.
using Ticket = std::uint64_t;
constexpr Ticket number_of(Ticket ticket) {
  return ticket >> 32;
}
constexpr std::size_t unclaimed(Ticket ticket) {
  return static_cast<std::size_t>(ticket & 0xffffffffu);
}

// Larger copies go past the caches. Those are transfers, whose blocks have 4 MiB; data that is read
// again soon is copied in smaller pieces. 12 threads beside an H100 copy from such blocks to memory
// that is in no cache with 50 GB/s, and past the caches with 105 GB/s.
constexpr std::size_t most_cached_bytes = std::size_t{2} << 20;

// Copies the bytes [begin, end), counted through all rows.
void copy_part(const RowsCopy& rows, std::size_t begin, std::size_t end) {
  const bool past_caches = rows.rows * rows.row_bytes > most_cached_bytes;
  while (begin < end) {
    const std::size_t row = begin / rows.row_bytes;
    const std::size_t at = begin % rows.row_bytes;
    const std::size_t bytes = std::min(rows.row_bytes - at, end - begin);
    char* const to = static_cast<char*>(rows.to) + row * rows.to_pitch + at;
    const char* const from = static_cast<const char*>(rows.from) + row * rows.from_pitch + at;
    if (past_caches)
      copy_past_caches(to, from, bytes);
    else
      std::memcpy(to, from, bytes);
    begin += bytes;
  }
  if (past_caches) end_copies_past_caches();
}

}  // namespace

struct CopyThreads::State {
  Work work;  ///< under way; stays as it is while a claimed piece is not done
  std::atomic<Ticket> ticket{0};
  std::atomic<std::size_t> not_done{0};
  std::atomic<bool> ending{false};
  std::vector<std::thread> threads;

  // Claims and does pieces until none is left. False: there was none.
  bool help() {
    bool helped = false;
    Ticket seen = ticket.load(std::memory_order_acquire);
    while (unclaimed(seen) > 0) {
      if (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel)) continue;
      work.piece(work.of, unclaimed(seen) - 1);
      not_done.fetch_sub(1, std::memory_order_release);
      helped = true;
      seen = ticket.load(std::memory_order_acquire);
    }
    return helped;
  }

  void serve() {
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    while (true) {
      // Loaded before `ending`, because the end is a ticket too: a thread that has seen that ticket
      // must not wait for it.
      const Ticket seen = ticket.load(std::memory_order_acquire);
      if (ending.load(std::memory_order_acquire)) return;
      if (help()) {
        last = Clock::now();
      } else if (Clock::now() - last < awake_time) {
        std::this_thread::yield();
      } else {
        ticket.wait(seen, std::memory_order_acquire);
        last = Clock::now();
      }
    }
  }
};

CopyThreads::CopyThreads(int helpers) : state_(std::make_unique<State>()) {
  state_->threads.reserve(static_cast<std::size_t>(std::max(helpers, 0)));
  try {
    for (int i = 0; i < helpers; ++i) state_->threads.emplace_back([this] { state_->serve(); });
  } catch (const std::exception&) {
    // No thread or no memory: the caller's thread copies alone, or with the threads that were
    // started.
  }
}

CopyThreads::~CopyThreads() {
  state_->ending.store(true, std::memory_order_release);
  state_->ticket.fetch_add(Ticket{1} << 32, std::memory_order_acq_rel);
  state_->ticket.notify_all();
  for (std::thread& thread : state_->threads) thread.join();
}

void CopyThreads::copy(const RowsCopy& rows) {
  const std::size_t bytes = rows.rows * rows.row_bytes;
  bytes_ += bytes;
  if (bytes <= piece_bytes || state_->threads.empty()) {
    copy_part(rows, 0, bytes);
    return;
  }
  const auto begun = CopyPace::Clock::now();
  const bool alone = pace_.is_alone(begun);
  if (alone) {
    copy_part(rows, 0, bytes);
  } else {
    const std::size_t each = even_piece(bytes, state_->threads.size() + 1);
    const auto piece = [&](std::size_t number) {
      const std::size_t begin = number * each;
      copy_part(rows, begin, std::min(bytes, begin + each));
    };
    share((bytes + each - 1) / each, piece);
  }
  const auto now = CopyPace::Clock::now();
  pace_.note(alone, bytes, now - begun, now);
}

void CopyThreads::share(std::size_t count, const Work& work) {
  if (count > 1 && !state_->threads.empty() && !pace_.is_alone(CopyPace::Clock::now()))
    return do_together(count, work);
  for (std::size_t piece = 0; piece < count; ++piece) work.piece(work.of, piece);
}

void CopyThreads::do_together(std::size_t count, const Work& work) {
  state_->work = work;
  state_->not_done.store(count, std::memory_order_relaxed);
  const Ticket next = number_of(state_->ticket.load(std::memory_order_relaxed)) + 1;
  state_->ticket.store(next << 32 | count, std::memory_order_release);
  state_->ticket.notify_all();
  state_->help();
  while (state_->not_done.load(std::memory_order_acquire) > 0) std::this_thread::yield();
}

}  // namespace duoblas

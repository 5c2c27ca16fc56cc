#include "memory/copy_threads.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

#include "memory/copy_past_caches.hpp"
#include "os/page_block.hpp"
#include "problem/element_types.hpp"

namespace duoblas {
namespace {

// Small enough that a slow thread delays the end by little (20 us at 10 GB/s), large enough that
// claiming a piece costs nothing.
constexpr std::size_t piece_bytes = std::size_t{256} << 10;

// At most piece_bytes, such that all threads get equally many pieces: 16 pieces take 12 threads as
// long as 24.
std::size_t even_piece(std::size_t bytes, std::size_t threads) {
  const std::size_t rounds = (bytes + threads * piece_bytes - 1) / (threads * piece_bytes);
  const std::size_t even = (bytes + rounds * threads - 1) / (rounds * threads);
  return in_whole_pages(even);
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
// again soon is copied in smaller pieces. 12 threads of a server copy from such blocks to memory
// that is in no cache with 50 GB/s, and past the caches with 105 GB/s.
constexpr std::size_t most_cached_bytes = std::size_t{2} << 20;

// Copies the bytes [begin, end), counted through all rows.
void copy_part(const RowsCopy& rows, std::size_t begin, std::size_t end) {
  const bool past_caches = !rows.through_caches && rows.rows * rows.row_bytes > most_cached_bytes;
  while (begin < end) {
    const std::size_t row = begin / rows.row_bytes;
    const std::size_t at = begin % rows.row_bytes;
    const std::size_t bytes = std::min(rows.row_bytes - at, end - begin);
    char* const to = static_cast<char*>(rows.to) + row * rows.to_pitch + at;
    const char* const from = static_cast<const char*>(rows.from) + row * rows.from_pitch + at;
    if (rows.triangle)
      copy_stored(*rows.triangle, row, at, bytes, to, from);
    else if (past_caches)
      copy_past_caches(to, from, bytes);
    else
      std::memcpy(to, from, bytes);
    begin += bytes;
  }
  if (past_caches) end_copies_past_caches();
}

}  // namespace

// Work of independent pieces. Any thread may claim one at any time.
struct alignas(64) CopyThreads::Job {
  Work work;  ///< stays as it is while a claimed piece is not done
  std::atomic<Ticket> ticket{0};
  std::atomic<std::size_t> not_done{0};
  // Only the caller uses these, or a thread that does a piece. Apart from what all threads write.
  alignas(64) RowsCopy rows;
  std::size_t bytes_of_piece = 0;
  Started name = Started::ended;

  bool has_ended() const { return not_done.load(std::memory_order_acquire) == 0; }

  void begin(std::size_t count, const Work& what) {
    work = what;
    not_done.store(count, std::memory_order_relaxed);
    const Ticket next = number_of(ticket.load(std::memory_order_relaxed)) + 1;
    ticket.store(next << 32 | count, std::memory_order_release);
  }

  void begin(const RowsCopy& what, std::size_t threads) {
    rows = what;
    const std::size_t bytes = rows.rows * rows.row_bytes;
    bytes_of_piece = even_piece(bytes, threads);
    begin((bytes + bytes_of_piece - 1) / bytes_of_piece,
          {[](const void* of, std::size_t number) {
             const Job& job = *static_cast<const Job*>(of);
             const std::size_t first = number * job.bytes_of_piece;
             copy_part(job.rows, first,
                       std::min(job.rows.rows * job.rows.row_bytes, first + job.bytes_of_piece));
           },
           this});
  }

  // Claims a piece and does it. False: there was none.
  bool do_piece() {
    Ticket seen = ticket.load(std::memory_order_acquire);
    while (unclaimed(seen) > 0) {
      if (!ticket.compare_exchange_weak(seen, seen - 1, std::memory_order_acq_rel)) continue;
      work.piece(work.of, unclaimed(seen) - 1);
      not_done.fetch_sub(1, std::memory_order_release);
      return true;
    }
    return false;
  }

  void finish() {
    while (do_piece()) continue;
    while (!has_ended()) std::this_thread::yield();
  }
};

struct CopyThreads::State {
  // More than the blocks of both rings.
  static constexpr std::size_t most_started = 32;

  Job awaited;  ///< the caller waits for it: before the others
  std::array<Job, most_started> started;
  /// The numbers of those that may have pieces left.
  std::atomic<std::uint64_t> oldest_started{1}, last_started{0};
  std::atomic<std::uint64_t> news{0};  ///< counts up when there is a new job, and at the end
  std::atomic<bool> ending{false};
  std::vector<std::thread> threads;

  Job& job_of(std::uint64_t number) { return started[number % most_started]; }

  void tell() {
    news.fetch_add(1, std::memory_order_release);
    news.notify_all();
  }

  // False: no job has a piece left.
  bool help() {
    if (awaited.do_piece()) return true;
    const std::uint64_t last = last_started.load(std::memory_order_acquire);
    for (std::uint64_t number = oldest_started.load(std::memory_order_acquire); number <= last;
         ++number)
      if (job_of(number).do_piece()) return true;
    return false;
  }

  void serve() {
    using Clock = std::chrono::steady_clock;
    auto last = Clock::now();
    while (true) {
      // Loaded before `ending`, because the end is news too: a thread that has seen that news must
      // not wait for it.
      const std::uint64_t seen = news.load(std::memory_order_acquire);
      if (ending.load(std::memory_order_acquire)) return;
      if (help()) {
        while (help()) continue;
        last = Clock::now();
      } else if (Clock::now() - last < awake_time) {
        std::this_thread::yield();
      } else {
        news.wait(seen, std::memory_order_acquire);
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
  state_->tell();
  for (std::thread& thread : state_->threads) thread.join();
}

// Copies that threads do not do together.
bool CopyThreads::copies_alone(const RowsCopy& rows) {
  const std::size_t bytes = rows.rows * rows.row_bytes;
  bytes_ += bytes;
  if (bytes <= piece_bytes || state_->threads.empty()) {
    copy_part(rows, 0, bytes);
    return true;
  }
  const auto begun = CopyPace::Clock::now();
  if (!pace_.is_alone(begun)) return false;
  copy_part(rows, 0, bytes);
  const auto now = CopyPace::Clock::now();
  pace_.note(true, bytes, now - begun, now);
  return true;
}

void CopyThreads::copy(const RowsCopy& rows) {
  if (copies_alone(rows)) return;
  const auto begun = CopyPace::Clock::now();
  state_->awaited.begin(rows, state_->threads.size() + 1);
  state_->tell();
  state_->awaited.finish();
  const auto now = CopyPace::Clock::now();
  pace_.note(false, rows.rows * rows.row_bytes, now - begun, now);
}

CopyThreads::Started CopyThreads::start(const RowsCopy& rows) {
  if (copies_alone(rows)) return Started::ended;
  const std::uint64_t number = state_->last_started.load(std::memory_order_relaxed) + 1;
  Job& job = state_->job_of(number);
  finish(job.name);
  job.name = static_cast<Started>(number);
  job.begin(rows, state_->threads.size());
  state_->last_started.store(number, std::memory_order_release);
  state_->tell();
  return job.name;
}

bool CopyThreads::has_ended(Started copy) const {
  const Job& job = state_->job_of(static_cast<std::uint64_t>(copy));
  return copy == Started::ended || job.name != copy || job.has_ended();
}

void CopyThreads::finish(Started copy) {
  if (!has_ended(copy)) {
    Job& job = state_->job_of(static_cast<std::uint64_t>(copy));
    const auto begun = CopyPace::Clock::now();
    job.finish();
    const auto now = CopyPace::Clock::now();
    pace_.note(false, job.rows.rows * job.rows.row_bytes, now - begun, now);
  }
  std::uint64_t oldest = state_->oldest_started.load(std::memory_order_relaxed);
  const std::uint64_t last = state_->last_started.load(std::memory_order_relaxed);
  while (oldest <= last && has_ended(static_cast<Started>(oldest))) ++oldest;
  state_->oldest_started.store(oldest, std::memory_order_release);
}

bool CopyThreads::have_helpers() const {
  return !state_->threads.empty() && !pace_.is_alone(CopyPace::Clock::now());
}

void CopyThreads::share(std::size_t count, const Work& work) {
  if (count > 1 && have_helpers()) {
    state_->awaited.begin(count, work);
    state_->tell();
    state_->awaited.finish();
    return;
  }
  for (std::size_t piece = 0; piece < count; ++piece) work.piece(work.of, piece);
}

void copy_stored(const TrianglePart& part, std::size_t row, std::size_t at, std::size_t bytes,
                 char* to, const char* from) noexcept {
  const auto element = static_cast<std::int64_t>(element_size(part.precision));
  const std::int64_t first = static_cast<std::int64_t>(at);
  const std::int64_t last = first + static_cast<std::int64_t>(bytes);
  const std::int64_t diagonal = (part.diagonal + static_cast<std::int64_t>(row)) * element;
  const bool lower = part.uplo == Uplo::lower;
  const std::int64_t begin = lower ? first : std::clamp(diagonal, first, last);
  const std::int64_t end = lower ? std::clamp(diagonal + element, first, last) : last;
  const auto fill = [&](std::int64_t some, std::int64_t up_to) {
    std::memset(to + (some - first), 0, static_cast<std::size_t>(up_to - some));
  };
  fill(first, begin);
  std::memcpy(to + (begin - first), from + (begin - first), static_cast<std::size_t>(end - begin));
  fill(end, last);
  if (!part.unit || diagonal < first || diagonal >= last) return;
  with_element_type(part.precision, [&](auto zero) {
    const decltype(zero) one(1);
    std::memcpy(to + (diagonal - first), &one, sizeof one);
  });
}

}  // namespace duoblas

#include "engine/background_work.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "os/fork_state.hpp"
#include "os/own_stack.hpp"
#include "os/process.hpp"
#include "os/thread_pace.hpp"

namespace duoblas {
namespace {

// A program may ask for a kernel in every call until it is there.
constexpr std::size_t most_waiting = 8;

using Clock = std::chrono::steady_clock;

struct Piece {
  std::function<void()> work;
  WorkPriority priority;
};

// More nice than the program: a tenth of a core beside a thread that never rests (Linux).
constexpr int nicer = 10;

struct Work {
  std::mutex mutex;
  std::condition_variable rested;
  std::condition_variable given;                   // while the thread pauses
  std::multimap<Clock::time_point, Piece> pieces;  // by the time from which on they may begin
  bool has_thread = false;
  bool ending = false;

  // Pieces that wait for the thread only.
  std::size_t due(Clock::time_point now) const {
    return static_cast<std::size_t>(std::distance(pieces.begin(), pieces.upper_bound(now)));
  }

  // The first piece, once it may begin. Nothing: there is no more to do. Takes no memory: nobody
  // would hear that there is none.
  std::optional<Piece> next(std::unique_lock<std::mutex>& lock) {
    while (!ending && !pieces.empty()) {
      const auto first = pieces.begin();
      const Clock::time_point due = first->first;
      if (Clock::now() < due) {
        given.wait_until(lock, due);
        continue;
      }
      std::optional<Piece> piece(std::move(first->second));
      pieces.erase(first);
      return piece;
    }
    return std::nullopt;
  }
};

// Never destroyed: the thread may outlive exit()'s handlers.
Work& work() {
  static Work& one = *new Work;
  return one;
}

thread_local bool works_here = false;
constinit std::atomic<Clock::rep> running_since{0};  // 0: none is
constinit std::atomic<bool> wanted{true};

void do_here(const std::function<void()>& work) noexcept {
  const ForkGuard no_fork;  // a child would have half a driver
  try {
    work();
  } catch (...) {
    // Short memory, as a rule. Calls go on without.
  }
}

// A compiler that takes a core from one of many threads of a BLAS holds them all up wherever they
// meet, as long as the scheduler lets it run: on 16 cores dgetrf of 2048 took 721 and 876 ms beside
// one, instead of 25 (docs/experiments/calls.md).
void* do_at_low_priority(void* work) {
  works_here = true;
  make_this_thread_nicer(nicer);
  do_here(*static_cast<const std::function<void()>*>(work));
  return nullptr;
}

// A thread cannot raise its priority again, and threads that a driver starts when a device is
// opened inherit it. So what gives way has a thread of its own. No ForkGuard here meanwhile: that
// thread makes one.
void do_piece(Piece& piece) {
  OwnThread thread;
  if (piece.priority == WorkPriority::low &&
      start_own_thread(thread, do_at_low_priority, &piece.work))
    join_own_thread(thread);
  else
    do_here(piece.work);
}

void do_pieces() {
  Work& all = work();
  std::unique_lock lock(all.mutex);
  while (std::optional<Piece> piece = all.next(lock)) {
    lock.unlock();
    running_since.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    do_piece(*piece);
    piece.reset();
    running_since.store(0, std::memory_order_relaxed);
    lock.lock();
  }
  all.has_thread = false;
  all.rested.notify_all();
}

void* serve(void*) {
  works_here = true;
  do_pieces();
  return nullptr;
}

// A driver's static objects must not be destroyed while it works. In a child nobody works; and
// there is no waiting for a driver that ends the process itself.
void end_work() {
  if (fork_generation() != 0 || is_other_process() || works_here) return;
  Work& all = work();
  wanted.store(false, std::memory_order_relaxed);
  std::unique_lock lock(all.mutex);
  all.ending = true;
  all.given.notify_all();
  all.rested.wait(lock, [&] { return !all.has_thread; });
}

// exit() runs handlers in the reverse order of their registration, so those of a driver that is
// being loaded run before ours. But before all handlers it destroys the variables of the calling
// thread, which is usually the main thread; other threads may end at any time.
struct EndsWorkAtExit {
  ~EndsWorkAtExit() {
    if (armed && is_main_thread()) end_work();
  }
  bool armed = false;
};
thread_local EndsWorkAtExit at_exit;
constinit std::atomic<bool> main_waits{false};

bool start_thread() {
  OwnThread thread;
  const bool started = start_own_thread(thread, serve, nullptr);
  if (started) let_go_of(thread);
  return started;
}

}  // namespace

bool give_background_work(std::function<void()> piece, WorkPriority priority) noexcept {
  return give_background_work_later(0, std::move(piece), priority);
}

// Refuses work that cannot be started: without a thread it would wait for the next piece's thread.
bool give_background_work_later(double seconds, std::function<void()> piece,
                                WorkPriority priority) noexcept {
  let_exit_here_wait();
  try {
    Work& all = work();
    const std::lock_guard lock(all.mutex);
    const Clock::time_point now = Clock::now();
    if (all.ending || (seconds <= 0 && all.due(now) >= most_waiting)) return false;
    const std::chrono::duration<double> pause(seconds);
    all.pieces.emplace(now + std::chrono::duration_cast<Clock::duration>(pause),
                       Piece{std::move(piece), priority});
    all.given.notify_all();
    if (all.has_thread) return true;
    all.has_thread = true;
    if (start_thread()) return true;
    all.has_thread = false;
    all.pieces.clear();
  } catch (const std::exception&) {
    // No memory for it.
  }
  return false;
}

bool background_work_is_running() noexcept {
  return running_since.load(std::memory_order_relaxed) != 0;
}

double seconds_of_background_work() noexcept {
  const Clock::rep since = running_since.load(std::memory_order_relaxed);
  if (since == 0) return 0;
  return std::chrono::duration<double>(Clock::now().time_since_epoch() - Clock::duration(since))
      .count();
}

bool background_work_is_wanted() noexcept {
  return wanted.load(std::memory_order_relaxed);
}

void let_exit_here_wait() noexcept {
  if (at_exit.armed) return;
  at_exit.armed = true;
  if (is_main_thread()) main_waits.store(true);
}

bool main_exit_waits() noexcept {
  return main_waits.load();
}

void note_that_main_exit_waits() noexcept {
  main_waits.store(true);
}

void end_background_work() noexcept {
  end_work();
}

bool let_exit_wait_before_handlers() noexcept {
  return std::atexit(end_work) == 0;
}

}  // namespace duoblas

#include "engine/caller_blas.hpp"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <new>

#include "os/host_environment.hpp"

namespace duoblas {
namespace {

constinit thread_local CallerBlas here{};

// Written once, by whoever changes the state from none.
enum State { none, being_written, written };
constinit std::atomic<State> state{none};
constinit CallerBlas usual{};

// Threads of OpenBLAS wait for 2^28 cycles of the time stamp counter, or as OPENBLAS_THREAD_TIMEOUT
// says: 128 ms at 2.1 GHz, as processor time after a call of 0.3.21 and 0.3.30 shows. (The 2^26 in
// its Makefile.rule is a comment.) With 50 ms here a host of 16 cores tried both sides beside 16
// such threads, which took 28 to 47 ms instead of 1.5, twice the learner's budget.
constexpr int usual_timeout = 28, least_timeout = 4, most_timeout = 30;
constexpr double slow_counter = 2.05e9, fast_counter = 5e9;  // cycles per second
constinit std::atomic<std::int64_t> cycles{0};               // 0: not known yet

int timeout_of_threads() noexcept try {
  const auto told = host_variable("OPENBLAS_THREAD_TIMEOUT");
  const int power = told ? std::atoi(told->c_str()) : 0;
  return power <= 0 ? usual_timeout : std::clamp(power, least_timeout, most_timeout);
} catch (const std::bad_alloc&) {
  return usual_timeout;
}

std::int64_t waited_cycles() noexcept {
  if (const std::int64_t known = cycles.load(std::memory_order_relaxed); known != 0) return known;
  const std::int64_t told = std::int64_t{1} << timeout_of_threads();
  cycles.store(told, std::memory_order_relaxed);
  return told;
}

// They spin for so many seconds at most, and at least.
double spinning() noexcept {
  return static_cast<double>(waited_cycles()) / slow_counter;
}
double surely_spinning() noexcept {
  return static_cast<double>(waited_cycles()) / fast_counter;
}

// Ours sleep after 0.4 ms (cpu/blas_instance.cpp), but calls of 0.12 ms took 4 for so long.
constexpr double own_spinning = 50e-3;

constexpr std::int64_t never = std::numeric_limits<std::int64_t>::min();
constinit std::atomic<std::int64_t> last_call{never}, last_own_call{never};
constinit thread_local bool is_noted = false;  // the thread's last call was

std::int64_t now() noexcept {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// Until its threads sleep.
double seconds_left(const std::atomic<std::int64_t>& call, double of) noexcept {
  const std::int64_t last = call.load(std::memory_order_relaxed);
  return last == never ? 0 : std::max(0.0, of - 1e-9 * static_cast<double>(now() - last));
}

bool is_same(const CallerBlas& x, const CallerBlas& y) {
  return x.library == y.library && x.threads == y.threads;
}

}  // namespace

ScopedCallerBlas::ScopedCallerBlas(const CallerBlas& blas) noexcept : before_(here) {
  here = blas;
  State before = none;
  // Before a program's BLAS is found, none counts as unusual.
  if (blas.library == nullptr || state.load(std::memory_order_relaxed) != none ||
      !state.compare_exchange_strong(before, being_written))
    return;
  usual = blas;
  state.store(written, std::memory_order_release);
}

ScopedCallerBlas::~ScopedCallerBlas() {
  here = before_;
}

bool has_caller_blas() noexcept {
  return here.library != nullptr;
}

std::uint64_t unusual_caller_blas() noexcept {
  if (is_same(here, {}) || state.load(std::memory_order_acquire) != written || is_same(here, usual))
    return 0;
  return (reinterpret_cast<std::uintptr_t>(here.library) ^ static_cast<std::uint64_t>(here.threads)
                                                               << 48) |
         1;
}

void note_call_of_caller_blas() noexcept {
  is_noted = here.threads != 1;
  if (is_noted) last_call.store(now(), std::memory_order_relaxed);
}

void note_return_of_caller_blas() noexcept {
  if (is_noted) last_call.store(now(), std::memory_order_relaxed);
}

bool caller_blas_may_spin() noexcept {
  return seconds_left(last_call, spinning()) > 0;
}

SpinningThreads threads_of_caller_blas() noexcept {
  const double left = seconds_left(last_call, spinning());
  return {left > 0, left < spinning() - surely_spinning()};
}

double seconds_of_spinning(bool now) noexcept {
  if (now) return seconds_left(last_call, spinning());
  return last_call.load(std::memory_order_relaxed) != never ? spinning() : 0;
}

void note_return_of_own_blas() noexcept {
  last_own_call.store(now(), std::memory_order_relaxed);
}

bool own_blas_may_spin() noexcept {
  return seconds_left(last_own_call, own_spinning) > 0;
}

std::string usual_caller_blas() {
  if (state.load(std::memory_order_acquire) != written) return {};
  Dl_info found;
  std::string text = std::to_string(usual.threads);
  struct stat file {};
  if (usual.library == nullptr || dladdr(usual.library, &found) == 0 || found.dli_fname == nullptr)
    return text;
  text += std::string(" ") + found.dli_fname;
  if (stat(found.dli_fname, &file) == 0)
    text += " " + std::to_string(file.st_size) + " " + std::to_string(file.st_mtim.tv_sec);
  return text;
}

}  // namespace duoblas

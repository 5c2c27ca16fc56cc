#include "cl_layer/layer_state.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <string_view>

namespace duoblas::layer {
namespace {

struct State {
  std::mutex mutex;
  int log = -1;
  std::string failing;  // a function's name, or "*"
  long failing_call = 0;
  bool from_then_on = false;
  int code = 0;  // of the call that fails
  bool fired = false;
  long calls = 0;
  std::map<std::string, long, std::less<>> calls_of;
  std::array<std::atomic<long>, kinds> live{};
  std::atomic<long> copied{0};
  struct Buffer {
    Place place;
    long bytes;
  };
  std::map<const void*, Buffer> buffers;
  std::array<long, 2> held{}, peak{};

  State() {
    open_log(std::getenv("DUOBLAS_LAYER_LOG"));
    fail(std::getenv("DUOBLAS_LAYER_FAIL"));
  }

  void open_log(const char* path) {
    if (log >= 0) ::close(log);
    log = path == nullptr || *path == '\0'
              ? -1
              : ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  }

  // "clFlush:2", "*:17"; with a + behind it, and all later ones; with "=-54" at the end, so.
  void fail(const char* spec) {
    failing.clear();
    failing_call = 0;
    constexpr int out_of_resources = -5;
    std::string_view text = spec == nullptr ? "" : spec;
    const std::size_t equals = text.rfind('=');
    code = equals == std::string_view::npos ? out_of_resources : std::atoi(spec + equals + 1);
    text = text.substr(0, equals);
    from_then_on = !text.empty() && text.back() == '+';
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return;
    failing = text.substr(0, colon);
    failing_call = std::atol(text.data() + colon + 1);
  }

  void reset() {
    fail(nullptr);
    fired = false;
    calls = 0;
    calls_of.clear();
    copied = 0;
    peak = held;
  }
};

// Never destroyed: the library that is watched may release objects until the very end.
State& state() {
  static State* const once = new State;
  return *once;
}

}  // namespace

int enter(const char* name, const std::string& facts, bool polled) {
  State& now = state();
  const std::lock_guard guard(now.mutex);
  const long of_this = ++now.calls_of[name];
  if (!polled) ++now.calls;
  const auto meant = [&](long call) {
    return now.failing_call > 0 &&
           (now.from_then_on ? call >= now.failing_call : call == now.failing_call);
  };
  const bool fails = (now.failing == name && meant(of_this)) ||
                     (now.failing == "*" && !polled && meant(now.calls));
  now.fired |= fails;
  if (now.log >= 0 && !polled) {
    const std::string line = name + facts + (fails ? " FAILS" : "") + "\n";
    if (::write(now.log, line.data(), line.size()) < 0) ::abort();  // a lost line proves nothing
  }
  return fails ? now.code : 0;
}

void count_object(Kind kind, int change) {
  state().live[static_cast<std::size_t>(kind)] += change;
}

void count_copied(std::size_t bytes) {
  state().copied += static_cast<long>(bytes);
}

void note_buffer(const void* handle, Place place, std::size_t bytes) {
  State& now = state();
  const std::lock_guard guard(now.mutex);
  const auto at = static_cast<std::size_t>(place);
  now.buffers[handle] = {place, static_cast<long>(bytes)};
  now.held[at] += static_cast<long>(bytes);
  now.peak[at] = std::max(now.peak[at], now.held[at]);
}

void forget_buffer(const void* handle) {
  State& now = state();
  const std::lock_guard guard(now.mutex);
  const auto found = now.buffers.find(handle);
  if (found == now.buffers.end()) return;
  now.held[static_cast<std::size_t>(found->second.place)] -= found->second.bytes;
  now.buffers.erase(found);
}

}  // namespace duoblas::layer

#define DUOBLAS_LAYER_EXPORT extern "C" __attribute__((visibility("default")))

using duoblas::layer::state;

DUOBLAS_LAYER_EXPORT void duoblas_layer_fail(const char* spec) {
  const std::lock_guard guard(state().mutex);
  state().reset();
  state().fail(spec);
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_reset() {
  const std::lock_guard guard(state().mutex);
  state().reset();
}

DUOBLAS_LAYER_EXPORT void duoblas_layer_log(const char* path) {
  const std::lock_guard guard(state().mutex);
  state().open_log(path);
}

DUOBLAS_LAYER_EXPORT int duoblas_layer_fired() {
  const std::lock_guard guard(state().mutex);
  return state().fired ? 1 : 0;
}

DUOBLAS_LAYER_EXPORT long duoblas_layer_calls() {
  const std::lock_guard guard(state().mutex);
  return state().calls;
}

DUOBLAS_LAYER_EXPORT long duoblas_layer_calls_of(const char* name) {
  const std::lock_guard guard(state().mutex);
  const auto found = state().calls_of.find(std::string_view(name));
  return found == state().calls_of.end() ? 0 : found->second;
}

DUOBLAS_LAYER_EXPORT long duoblas_layer_live_objects() {
  long sum = 0;
  for (const auto& live : state().live) sum += live;
  return sum;
}

DUOBLAS_LAYER_EXPORT long duoblas_layer_bytes_copied() {
  return state().copied;
}

DUOBLAS_LAYER_EXPORT long duoblas_layer_peak_bytes(int page_locked) {
  const std::lock_guard guard(state().mutex);
  return state().peak[page_locked != 0 ? 1 : 0];
}

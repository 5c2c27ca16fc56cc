#include "bench/dropin_pair.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <thread>

#include <duoblas/error.hpp>

#include "planner/reason.hpp"
#include "timing/median.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

using Clock = std::chrono::steady_clock;

void* opened(const std::string& path, int scope) {
  void* handle = dlopen(path.c_str(), RTLD_NOW | scope);
  if (handle == nullptr) throw Error(dlerror());
  return handle;
}

void* function_of(void* library, const std::string& name) {
  void* symbol = dlsym(library, name.c_str());
  if (symbol == nullptr) throw Error(dlerror());
  return symbol;
}

// Idle workers of an OpenBLAS spin for 2^26 cycles (25 ms) after a call, on cores that the engine's
// sides need. Then they sleep, and the next call has to wake them. A program that makes one call
// after another sees neither. So each turn begins with untimed calls of its own for this long.
// (With a pause instead, sgemm of 192 and 256 took 1.1 to 2.0 times as long as in a program of
// their own on an H200's host.)
constexpr double until_workers_sleep = 35e-3;

double seconds_of(const BlasCall& call, void* function, int times) {
  const Stopwatch since_turn;
  do call.make(function);
  while (since_turn.seconds() < until_workers_sleep);
  const Stopwatch watch;
  for (int i = 0; i < times; ++i) call.make(function);
  return watch.seconds() / times;
}

// Short calls are repeated for this long in each sample.
constexpr double sample_seconds = 1e-3;
constexpr int first_calls = 10;
constexpr int least_pairs = 3, most_pairs = 41;

}  // namespace

DropinPair::DropinPair(const std::string& dropin, const std::string& blas,
                       const std::string& core_type) {
  if (core_type.empty())
    ::unsetenv("OPENBLAS_CORETYPE");
  else
    ::setenv("OPENBLAS_CORETYPE", core_type.c_str(), 1);
  ::setenv("DUOBLAS_START_MS", "0", 0);  // what is measured is a device that was started
  blas_ = opened(blas, RTLD_GLOBAL);
  dropin_ = opened(dropin, RTLD_LOCAL);
  using Text = char* (*)();
  void* config = dlsym(blas_, "openblas_get_config");
  description_ = config != nullptr ? reinterpret_cast<Text>(config)() : blas;
  open_engine();
}

// A program opens the engine by a large product; the device starts beside it.
void DropinPair::open_engine() {
  const BlasCall large(blas_point("sgemm:nn:1024x1024x1024"));
  void* function = function_of(dropin_, symbol_of(large.point()));
  large.make(function);
  Dl_info where;
  if (dladdr(function, &where) == 0) throw Error("the drop-in has no path");
  const std::string dropin = std::filesystem::canonical(where.dli_fname);
  const std::string beside = dropin.substr(0, dropin.rfind('/') + 1) + "libduoblas.so.0";
  void* library = dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return;  // switched off
  using Get = const duoblas_dropin_engine* (*)();
  engine_ = reinterpret_cast<Get>(function_of(library, "duoblas_dropin_engine"))();
  // Wait until the device has started, or the engine has no use for one.
  const auto deadline = Clock::now() + std::chrono::seconds(10);
  while (Clock::now() < deadline && has_use() &&
         asked(large).reason == static_cast<int>(Reason::device_starting))
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// The engine may leave a part of the call to the BLAS; that part is not done here.
DropinPair::Answer DropinPair::asked(const BlasCall& call) const {
  duoblas_blas_call same = call.for_engine();
  Answer answer;
  answer.what = engine_->run(&same, &answer.reason);
  if (answer.what != DUOBLAS_DONE && answer.what != DUOBLAS_PASSED_ON)
    engine_->note_seconds(&same, std::numeric_limits<double>::infinity());
  return answer;
}

bool DropinPair::has_use() const {
  return engine_ != nullptr && std::isfinite(engine_->smallest_flops[DUOBLAS_GEMM][0]);
}

PairTiming DropinPair::measure(const BlasPoint& point, double seconds, bool again) const {
  const BlasCall call(point);
  void* const direct = function_of(blas_, symbol_of(point));
  void* const dropin = function_of(dropin_, symbol_of(point));
  PairTiming timing;
  timing.point = point;
  const auto by_engine = [&] {
    return has_use() && flops(point) >= least_flops(point) && asked(call).what == DUOBLAS_DONE;
  };
  // The first calls find out which side is faster.
  for (int i = 0; i < first_calls; ++i) call.make(dropin);
  timing.by_engine = by_engine();
  const double once = seconds_of(call, direct, 1);
  const int times = std::clamp(static_cast<int>(sample_seconds / once), 1, 1000);
  std::vector<double> direct_times, dropin_times, ratios;
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  while (timing.pairs < least_pairs || (Clock::now() < deadline && timing.pairs < most_pairs)) {
    double first = 0, second = 0;
    const bool swapped = timing.pairs++ % 2 != 0;
    if (!swapped) first = seconds_of(call, direct, times);
    second = seconds_of(call, dropin, times);
    if (swapped) first = seconds_of(call, direct, times);
    direct_times.push_back(first);
    dropin_times.push_back(second);
    ratios.push_back(second / first);
  }
  // The engine took the calls over meanwhile: its kernels are built now. Some of the pairs were its
  // trials.
  if (again && !timing.by_engine && by_engine()) return measure(point, seconds, false);
  timing.direct_seconds = upper_median(direct_times);
  timing.dropin_seconds = upper_median(dropin_times);
  timing.ratio = upper_median(ratios);
  return timing;
}

double DropinPair::least_flops(const BlasPoint& point) const {
  const std::string letters = "sdcz";
  return engine_->smallest_flops[point.routine][letters.find(point.precision)];
}

std::string DropinPair::engine_state() const {
  if (engine_ == nullptr) return "not loaded: every call is passed on";
  return has_use() ? "open" : "has no use for a device here: every call is passed on";
}

}  // namespace duoblas

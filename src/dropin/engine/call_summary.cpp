#include "dropin/engine/call_summary.hpp"

#include <errno.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "problem/precision.hpp"

namespace duoblas {
namespace {

constexpr std::array<const char*, DUOBLAS_ROUTINES> routine_names = {
    "gemm", "symm", "hemm", "syrk", "herk", "syr2k", "her2k", "trmm", "trsm"};

// All calls of one routine in one precision.
struct Calls {
  std::atomic<std::uint64_t> with_gpu, on_cpu, passed_on, estimated;
  std::atomic<double> flops, seconds, seconds_won;
};
// Exit handlers may run beside threads that still multiply: nothing of this is ever destroyed.
constinit std::array<std::array<Calls, precision_count>, DUOBLAS_ROUTINES> all_calls = {};

template <typename T>
void add(std::atomic<T>& sum, T value) {
  sum.fetch_add(value, std::memory_order_relaxed);
}

std::string number(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string row(const std::string& routine, const std::array<std::string, 6>& cells) {
  char line[160];
  std::snprintf(line, sizeof line, "%-8s%10s%10s%11s%10s%11s%13s\n", routine.c_str(),
                cells[0].c_str(), cells[1].c_str(), cells[2].c_str(), cells[3].c_str(),
                cells[4].c_str(), cells[5].c_str());
  return line;
}

std::string row(const std::string& routine, const Calls& calls) {
  const std::uint64_t with_gpu = calls.with_gpu, on_cpu = calls.on_cpu;
  const bool was_done = with_gpu + on_cpu > 0;
  const double seconds = calls.seconds;
  return row(routine,
             {std::to_string(with_gpu), std::to_string(on_cpu), std::to_string(calls.passed_on),
              seconds > 0 ? number("%.1f", calls.flops / seconds * 1e-9) : "-",
              was_done ? number("%.3f", seconds) : "-",
              calls.estimated > 0 ? number("%+.3f", calls.seconds_won) : "-"});
}

std::string summary() {
  std::string text = "duoblas: the matrix products of " +
                     std::string(program_invocation_short_name) + ", process " +
                     std::to_string(::getpid()) + "\n";
  text += row("calls", {"with GPU", "CPU only", "passed on", "GFLOPS", "seconds", "seconds won"});
  for (std::size_t routine = 0; routine < all_calls.size(); ++routine) {
    for (const Precision precision : all_precisions) {
      const Calls& calls = all_calls[routine][precision_index(precision)];
      if (calls.with_gpu + calls.on_cpu + calls.passed_on == 0) continue;
      text += row(letter(precision) + std::string(routine_names[routine]), calls);
    }
  }
  return text +
         "with GPU: on both sides, or on the GPU alone. passed on: to the program's own BLAS.\n"
         "GFLOPS, seconds: of the calls that were not passed on; seconds are added over threads.\n"
         "seconds won: against the CPU alone as the tuning predicts it; -: it does not say.\n";
}

constinit std::atomic<pid_t> counting_process{0};

// In one piece, as the ranks of a parallel program print together.
void print_summary() {
  if (::getpid() == counting_process) std::fputs(summary().c_str(), stderr);
}

Calls& calls_like(const duoblas_level3_call& call) {
  pid_t none = 0;
  if (counting_process.load(std::memory_order_relaxed) == none &&
      counting_process.compare_exchange_strong(none, ::getpid()))
    std::atexit(print_summary);
  const auto precision = static_cast<Precision>(call.precision);
  return all_calls[static_cast<std::size_t>(call.routine)][precision_index(precision)];
}

}  // namespace

void note_done(const duoblas_level3_call& call, const DoneCall& done) noexcept {
  Calls& calls = calls_like(call);
  add<std::uint64_t>(done.used_gpu ? calls.with_gpu : calls.on_cpu, 1);
  add(calls.flops, done.flops);
  add(calls.seconds, done.seconds);
  if (!done.seconds_won) return;
  add<std::uint64_t>(calls.estimated, 1);
  add(calls.seconds_won, *done.seconds_won);
}

void note_passed_on(const duoblas_level3_call& call) noexcept {
  add<std::uint64_t>(calls_like(call).passed_on, 1);
}

}  // namespace duoblas

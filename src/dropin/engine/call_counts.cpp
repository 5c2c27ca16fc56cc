#include "dropin/engine/call_counts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <duoblas/error.hpp>

#include "api/context_state.hpp"
#include "dropin/engine/device_start.hpp"
#include "dropin/engine/lapack_program.hpp"
#include "dropin/engine/ranks_together.hpp"
#include "engine/engine.hpp"
#include "os/process.hpp"
#include "problem/precision.hpp"
#include "problem/problem_of_call.hpp"

namespace duoblas {
namespace {

std::string name_of(int routine, Precision precision) {
  if (is_lapack(routine)) return name(lapack_routine_of(routine), precision);
  return letter(precision) + std::string(routine == DUOBLAS_GEMM   ? "gemm"
                                         : routine == DUOBLAS_GEMV ? "gemv"
                                                                   : name(routine_of(routine)));
}

// All calls of one routine in one precision.
struct Calls {
  std::atomic<std::uint64_t> with_gpu, on_cpu, passed_on, estimated;
  std::atomic<double> flops, seconds, seconds_won;
};
// Never destroyed, because exit handlers may run beside threads that still multiply.
constinit std::array<std::array<Calls, precision_count>, DUOBLAS_ROUTINES> all_calls = {};

// Calls of ?copy are counted apart: they have no flops.
struct Copies {
  std::atomic<std::uint64_t> by_team, by_caller, passed_on;
  std::atomic<double> elements, seconds;
};
constinit Copies all_copies = {};

// Who did a call, as in the table's columns.
enum class Doer { both, cpu, program };
constexpr std::array<const char*, 3> doer_names = {"with GPU", "CPU only", "passed on"};
constinit std::array<std::array<std::atomic<std::uint64_t>, reason_count>, doer_names.size()>
    calls_by_reason = {};

template <typename T>
void add(std::atomic<T>& sum, T value) {
  sum.fetch_add(value, std::memory_order_relaxed);
}

// Every count there is, always in this order.
template <typename Visit>
void for_each_count(Visit visit) {
  for (auto& precisions : all_calls)
    for (Calls& calls : precisions) {
      for (auto* count : {&calls.with_gpu, &calls.on_cpu, &calls.passed_on, &calls.estimated})
        visit(*count);
      for (auto* sum : {&calls.flops, &calls.seconds, &calls.seconds_won}) visit(*sum);
    }
  for (auto& reasons : calls_by_reason)
    for (auto& count : reasons) visit(count);
  for (auto* count : {&all_copies.by_team, &all_copies.by_caller, &all_copies.passed_on})
    visit(*count);
  for (auto* sum : {&all_copies.elements, &all_copies.seconds}) visit(*sum);
}

std::vector<double> all_counts() {
  std::vector<double> counts;
  for_each_count([&](auto& count) { counts.push_back(static_cast<double>(count.load())); });
  return counts;
}

void set_counts(const std::vector<double>& counts) {
  auto next = counts.begin();
  for_each_count([&]<typename T>(std::atomic<T>& count) { count = static_cast<T>(*next++); });
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

// The most frequent first.
std::string reasons() {
  std::vector<std::pair<std::uint64_t, std::string>> lines;
  for (std::size_t doer = 0; doer < doer_names.size(); ++doer)
    for (std::size_t reason = 0; reason < reason_count; ++reason)
      if (const std::uint64_t calls = calls_by_reason[doer][reason]; calls > 0)
        lines.emplace_back(calls, std::string(doer_names[doer]) + ": " +
                                      std::string(sentence(static_cast<Reason>(reason))));
  std::ranges::stable_sort(lines, [](const auto& x, const auto& y) { return x.first > y.first; });
  std::string text;
  for (const auto& [calls, line] : lines) {
    char count[24];
    std::snprintf(count, sizeof count, "%12" PRIu64 "  ", calls);
    text += count + line + "\n";
  }
  return text;
}

// A line; nothing: there were none.
std::string copies() {
  const std::uint64_t by_team = all_copies.by_team, by_caller = all_copies.by_caller,
                      passed_on = all_copies.passed_on;
  if (by_team + by_caller + passed_on == 0) return "";
  return "?copy of far-apart elements: " + std::to_string(by_team) + " calls by several threads, " +
         std::to_string(by_caller) + " by the caller's, " + std::to_string(passed_on) +
         " passed on; " + number("%.1f", all_copies.elements * 1e-6) + " million elements in " +
         number("%.3f", all_copies.seconds) + " s\n";
}

std::string process_here() {
  return "process " + std::to_string(process_id());
}

std::string summary(const std::string& whose) {
  std::string text = "duoblas: the matrix products of " + program_name() + ", " + whose + "\n";
  text += row("calls", {"with GPU", "CPU only", "passed on", "GFLOPS", "seconds", "seconds won"});
  for (std::size_t routine = 0; routine < all_calls.size(); ++routine) {
    for (const Precision precision : all_precisions) {
      const Calls& calls = all_calls[routine][precision_index(precision)];
      if (calls.with_gpu + calls.on_cpu + calls.passed_on == 0) continue;
      text += row(name_of(static_cast<int>(routine), precision), calls);
    }
  }
  return text + copies() + "calls, and why they were done there:\n" + reasons() +
         "with GPU: on both sides, or on the GPU alone. passed on: to the program's own BLAS.\n"
         "GFLOPS, seconds: of the calls that were not passed on; seconds are added over threads.\n"
         "seconds won: against the CPU alone as the tuning predicts it; -: it does not say.\n" +
         account_of_program();
}

constinit std::atomic<int> counting_process{0};

const Settings& settings_here() {
  return ContextEngine::of(Context::process_default()).settings();
}

bool shares_table(const Settings& settings) {
  return settings.rank.on_host > 1 && !settings.summary_by_rank;
}

void join_others() noexcept try {
  if (shares_table(settings_here())) join_ranks(settings_here().rank);
} catch (const Error&) {
  // Wrong settings are told elsewhere.
}

// "ranks 0, 2: ..." for each line that is told of some.
std::string lines_about(const std::map<int, std::string>& ranks) {
  std::map<std::string, std::vector<std::string>> numbers;
  for (const auto& [rank, about] : ranks) numbers[about].push_back(std::to_string(rank));
  std::string text;
  for (const auto& [about, of] : numbers) {
    text += of.size() > 1 ? "ranks " : "rank ";
    for (const std::string& rank : of) text += (&rank == &of.front() ? "" : ", ") + rank;
    text += ": " + about + "\n";
  }
  return text;
}

// Ranks of a host have one table. Empty: another one prints it.
std::string summary_at_end() {
  const Rank& rank = settings_here().rank;
  if (!rank.is_of_many()) return summary(process_here());
  const std::string about = ContextEngine::of(Context::process_default()).facts().of_rank();
  RanksTogether here{{}, {{rank.number, about}}};
  std::string whose = process_here();
  if (shares_table(settings_here())) {
    auto all = leave_ranks(rank, all_counts(), about);
    if (!all) return "";
    here = *std::move(all);
    set_counts(here.sums);
    whose = std::to_string(here.about.size()) + " ranks on " + host_name();
  }
  return summary(whose) + lines_about(here.about);
}

std::string text_at_end() try {
  return summary_at_end();
} catch (const Error&) {  // wrong settings, which were told
  return summary(process_here());
}

// Printed in one write, because the ranks of a parallel program print at the same time. An
// exception in exit() would end a program that has done all its work with SIGABRT.
void print_summary() noexcept {
  if (process_id() != counting_process) return;
  try {
    std::fputs(text_at_end().c_str(), stderr);
  } catch (const std::bad_alloc&) {
    std::fputs("duoblas: memory is too short for the summary of the program's calls\n", stderr);
  }
}

void print_at_exit() {
  int none = 0;
  if (counting_process.load(std::memory_order_relaxed) == none &&
      counting_process.compare_exchange_strong(none, process_id())) {
    std::atexit(print_summary);
    join_others();
  }
}

Calls& calls_like(const duoblas_blas_call& call) {
  print_at_exit();
  const auto precision = static_cast<Precision>(call.precision);
  return all_calls[static_cast<std::size_t>(call.routine)][precision_index(precision)];
}

void count(Doer doer, Reason reason) {
  add<std::uint64_t>(
      calls_by_reason[static_cast<std::size_t>(doer)][static_cast<std::size_t>(reason)], 1);
}

}  // namespace

std::string summary_so_far() {
  return counting_process == process_id() ? summary(process_here()) : std::string();
}

double flops(const duoblas_blas_call& call) {
  if (is_lapack(call.routine)) return flops(lapack_problem(call));
  if (call.routine == DUOBLAS_GEMM) return flops(gemm_problem(call));
  if (call.routine != DUOBLAS_GEMV) return flops(to_row_major(caller_level3(call)));
  const double type = is_complex(static_cast<Precision>(call.precision)) ? 4 : 1;
  return type * 2 * static_cast<double>(call.m) * static_cast<double>(call.n);
}

void note_done(const duoblas_blas_call& call, const Outcome& outcome) noexcept {
  Calls& calls = calls_like(call);
  add<std::uint64_t>(outcome.used_gpu ? calls.with_gpu : calls.on_cpu, 1);
  add(calls.flops, flops(call));
  add(calls.seconds, outcome.times.whole);
  count(outcome.used_gpu ? Doer::both : Doer::cpu, outcome.plan.reason);
  if (!outcome.seconds_won) return;
  add<std::uint64_t>(calls.estimated, 1);
  add(calls.seconds_won, *outcome.seconds_won);
}

void note_passed_on(const duoblas_blas_call& call, Reason reason) noexcept {
  add<std::uint64_t>(calls_like(call).passed_on, 1);
  count(Doer::program, reason);
}

void note_copy(const duoblas_copy& call, std::optional<Way> who, double seconds) noexcept {
  print_at_exit();
  if (!who) return add<std::uint64_t>(all_copies.passed_on, 1);
  add<std::uint64_t>(*who == Way::team ? all_copies.by_team : all_copies.by_caller, 1);
  add(all_copies.elements, static_cast<double>(call.n));
  add(all_copies.seconds, seconds);
}

void say_passed_on(const duoblas_blas_call& call, Reason reason) noexcept {
  // Shown row-major, like calls that are computed here. What a routine does not have is 0.
  const bool swapped = call.layout == 102 && call.m != 0 && !is_lapack(call.routine);
  const bool is_gemv = call.routine == DUOBLAS_GEMV;
  std::string sizes;
  const auto add_size = [&sizes](const char* size, std::int64_t value) {
    if (value != 0) sizes += (sizes.empty() ? "" : " ") + (size + ("=" + std::to_string(value)));
  };
  add_size(is_gemv ? "rows" : "m", swapped ? call.n : call.m);
  add_size(is_gemv ? "columns" : "n", swapped ? call.m : call.n);
  add_size("k", call.k);
  const std::string_view why = sentence(reason);
  const std::string routine = name_of(call.routine, static_cast<Precision>(call.precision));
  std::fprintf(stderr, "duoblas: %s %s: the program's own BLAS; %.*s\n", routine.c_str(),
               sizes.c_str(), static_cast<int>(why.size()), why.data());
}

}  // namespace duoblas

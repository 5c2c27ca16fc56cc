#include "soak/soak_run.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <thread>

#include "soak/last_words.hpp"

namespace duoblas::soak {
namespace {

constexpr std::uint64_t settings_stream = 0xc0ffee;
constexpr std::uint64_t most_told = 50;  // of calls that are wrong
constexpr std::chrono::minutes between_reports{10};

}  // namespace

SoakRun::SoakRun(const SoakOptions& options, ContextPool& contexts)
    : options_(options),
      contexts_(contexts),
      together_(options.threads),
      begun_(std::chrono::steady_clock::now()),
      told_(begun_) {
  const auto threads = static_cast<std::uint64_t>(options_.threads);
  if (options_.only) {
    group_.number = *options_.only / threads;
    end_ = group_.number + 1;
  } else {
    group_.number = options_.first / threads;
    end_ = group_.number + (options_.calls + threads - 1) / threads;
  }
}

double SoakRun::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
}

void SoakRun::run() {
  std::vector<std::jthread> others;
  for (int thread = 1; thread < options_.threads; ++thread)
    others.emplace_back([this, thread] { work(thread); });
  work(0);
}

// All threads wait for this one.
bool SoakRun::next_group() {
  const bool is_late = options_.seconds > 0 && seconds() >= options_.seconds;
  if (group_.number >= end_ || (is_late && totals_.calls() >= options_.least_calls)) return false;
  Draw draw(options_.seed ^ settings_stream, group_.number);
  group_.setting = draw_setting(draw);
  // The first of all, so that the shortest run has one.
  group_.forks = options_.forks && (draw.one_in(100) || group_.number == 0);
  remember_words(
      command_for(options_, group_.number * static_cast<std::uint64_t>(options_.threads)),
      options_.deadline);
  group_.context = &contexts_.get(group_.setting);
  return true;
}

void SoakRun::work(int thread) {
  CallMemory memory;
  while (true) {
    if (thread == 0) stopped_ = !next_group();
    together_.arrive_and_wait();
    if (stopped_) return;
    make_one(thread, memory);
    together_.arrive_and_wait();
    if (thread == 0) {
      ++group_.number;
      tell_progress();
    }
  }
}

void SoakRun::make_one(int thread, CallMemory& memory) {
  SoakCall call = draw_call(options_.seed,
                            group_.number * static_cast<std::uint64_t>(options_.threads) +
                                static_cast<std::uint64_t>(thread),
                            options_.limits);
  const bool forks = group_.forks && thread == 0;
  // Parent and child would write the same C.
  if (forks && call.home == Home::mapped) call.home = Home::heap;
  const auto made = make(call, memory);
  together_.arrive_and_wait();
  if (forks) start_child(*made);
  const Verdict verdict = run_one(*made);
  const DevicePart part = device_part(ContextEngine::of(*group_.context), call, *made);
  if (forks) end_child(call);
  const std::scoped_lock lock(mutex_);
  totals_.add(call, part, verdict);
  if (!verdict.wrong.empty() || options_.only) tell(call, verdict, part);
}

Verdict SoakRun::run_one(MadeCall& made) {
  try {
    made.run(*group_.context);
    return made.verdict();
  } catch (const std::exception& error) {
    return {std::string("it threw: ") + error.what(), 0};
  }
}

// The child has this thread only, and computes on the CPU.
void SoakRun::start_child(MadeCall& made) {
  std::fflush(stdout);
  child_ = ::fork();
  if (child_ != 0) return;
  ::alarm(static_cast<unsigned>(options_.deadline));
  const Verdict verdict = run_one(made);
  if (!verdict.wrong.empty()) {
    std::printf("in a forked child: %s\n", verdict.wrong.c_str());
    std::fflush(stdout);
  }
  ::_exit(verdict.wrong.empty() ? 0 : 1);
}

void SoakRun::end_child(const SoakCall& call) {
  int status = 0;
  if (child_ < 0 || ::waitpid(child_, &status, 0) != child_) return;
  const std::scoped_lock lock(mutex_);
  ++totals_.in_children;
  if (status == 0) return;
  Verdict verdict;
  verdict.wrong = "the forked child ended with status " + std::to_string(status);
  totals_.add(call, {}, verdict);
  tell(call, verdict, {});
}

void SoakRun::tell_progress() {
  const auto now = std::chrono::steady_clock::now();
  if (now - told_ < between_reports) return;
  told_ = now;
  std::printf("%s", totals_.text(seconds()).c_str());
  std::fflush(stdout);
}

void SoakRun::tell(const SoakCall& call, const Verdict& verdict, const DevicePart& part) {
  if (totals_.wrong() > most_told) return;
  std::printf("call %llu: %s\n  %s\n  in %s, %.0f %% on the device%s\n  %s\n",
              static_cast<unsigned long long>(call.number),
              verdict.wrong.empty() ? "right" : verdict.wrong.c_str(), text(call).c_str(),
              text(group_.setting).c_str(),
              part.flops > 0 ? 100 * part.on_device / part.flops : 0.0,
              part.recovered ? ", which failed" : "", command_for(options_, call.number).c_str());
  std::fflush(stdout);
}

}  // namespace duoblas::soak

#include "cpu/thread_team.hpp"

#include <algorithm>
#include <chrono>
#include <exception>

#include "cpu/cpu_limits.hpp"
#include "os/signals_blocked.hpp"

namespace duoblas {

ThreadTeam::ThreadTeam(int threads, std::chrono::microseconds awake) : awake_(awake) {
  if (threads <= 1) return;
  const SignalsBlocked signals;
  try {
    threads_.reserve(static_cast<std::size_t>(threads - 1));
    for (int thread = 1; thread < threads; ++thread)
      threads_.emplace_back([this, thread] { serve(thread); });
  } catch (const std::exception&) {
    // No thread or no memory: the team is as large as it is.
  }
}

ThreadTeam::~ThreadTeam() {
  body_ = nullptr;
  work_.fetch_add(1, std::memory_order_release);
  work_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::serve(int thread) {
  using Clock = std::chrono::steady_clock;
  for (std::uint32_t seen = 0;;) {
    const auto begun = Clock::now();
    const auto has_work = [&] { return work_.load(std::memory_order_acquire) != seen; };
    wait_awake([&] { return has_work() || Clock::now() - begun > awake_; });
    while (!has_work()) work_.wait(seen, std::memory_order_acquire);
    ++seen;
    if (body_ == nullptr) return;
    if (thread < wanted_) (*body_)(thread);
    at_work_.fetch_sub(1, std::memory_order_release);
  }
}

void ThreadTeam::run(int threads, const std::function<void(int)>& body) {
  if (threads <= 1) return body(0);
  body_ = &body;
  wanted_ = threads;
  at_work_.store(static_cast<int>(threads_.size()), std::memory_order_relaxed);
  work_.fetch_add(1, std::memory_order_release);
  work_.notify_all();
  body(0);
  wait_awake([this] { return at_work_.load(std::memory_order_acquire) == 0; });
}

int team_size(const CpuConfig& config, const CpuLimits& limits, TeamShare share) {
  const int cores = static_cast<int>(config.cores.size());
  int threads = config.threads > 0 ? config.threads : cores > 0 ? cores : limits.threads;
  threads = std::clamp(threads, 1, limits.threads);
  if (const int bound = thread_bound(); bound > 0) threads = std::min(threads, bound);
  constexpr int many = 12;
  if (share == TeamShare::most && threads >= many) return threads * 3 / 4;
  return threads > 2 && share != TeamShare::all ? (threads + 1) / 2 : threads;
}

std::unique_ptr<ThreadTeam> team_for(const CpuConfig& config, const CpuLimits& limits,
                                     TeamShare share) {
  const int threads = team_size(config, limits, share);
  const ScopedAffinity on_cores(config.cores.empty() ? limits.cores : config.cores);
  return std::make_unique<ThreadTeam>(threads);
}

}  // namespace duoblas

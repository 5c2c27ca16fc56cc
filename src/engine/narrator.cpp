#include "engine/narrator.hpp"

#include <cinttypes>
#include <cstdio>

namespace duoblas {

void Narrator::once(const std::string& text) {
  if (verbose_ < 1) return;
  const std::lock_guard guard(mutex_);
  // Texts may name sizes: a program that fails in ever new ways is not worth ever more memory.
  constexpr std::size_t most = 64;
  if (said_.size() < most && said_.insert(text).second)
    std::fprintf(stderr, "duoblas: %s\n", text.c_str());
}

void Narrator::call(const GemmProblem& problem, const Plan& plan, const SideTimes& times) {
  if (verbose_ < 2) return;
  const double gflops = times.whole > 0 ? flops(problem) / times.whole * 1e-9 : 0;
  const auto strategy = name(plan.strategy);
  std::fprintf(stderr,
               "duoblas: %cgemm m=%" PRId64 " n=%" PRId64 " k=%" PRId64 ": %.*s, gpu %" PRId64
               " of %" PRId64 " %s, %.3f ms (gpu %s%.3f, cpu %.3f), %.1f GFLOPS; %.*s\n",
               letter(problem.precision), problem.m, problem.n, problem.k,
               static_cast<int>(strategy.size()), strategy.data(), plan.gpu_extent,
               plan.axis == Axis::rows ? problem.m : problem.n,
               plan.axis == Axis::rows ? "rows" : "columns", times.whole * 1e3,
               times.gpu_at_most ? "<= " : "", times.gpu * 1e3, times.cpu * 1e3, gflops,
               static_cast<int>(plan.reason.size()), plan.reason.data());
}

}  // namespace duoblas

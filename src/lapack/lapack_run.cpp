// Runs calls of our own interface. The drop-in's choice (planner/lapack_selector) compares with the
// program's library. Here that is the CPU BLAS, which the caller would have without a device.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "engine/build_policy.hpp"
#include "engine/readiness.hpp"
#include "lapack/lapack_call.hpp"

namespace duoblas {
namespace {

// A smaller gain is within the errors of estimates.
constexpr double worthwhile = 0.9;

bool is_expected_to_gain(Engine& engine, const LapackProblem& p, const Decision& decision) {
  const double cpu = decision.estimate.cpu_seconds, ours = expected_seconds(engine, p, decision);
  if (cpu <= 0 || ours <= 0) return false;
  if (!engine.learning().is_on()) return ours < worthwhile * cpu;
  return engine.learning().lapack_selector().choose(p, ours, cpu) == LapackProvider::ours;
}

double missed_seconds(const Engine& engine, const LapackProblem& p, const Decision& decision) {
  const double cpu = decision.estimate.cpu_seconds;
  return std::max(guessed_gain * cpu, cpu - expected_seconds(engine, p, decision));
}

void remember(Engine& engine, const LapackProblem& p, LapackProvider provider,
              const LapackOutcome& did) {
  const Outcome& outcome = did.outcome;
  const bool as_decided = provider == LapackProvider::ours
                              ? outcome.shows_gpu()
                              : !outcome.used_gpu && !outcome.recovered;
  if (did.info != 0 || !as_decided || !engine.learning().is_on() || outcome.check_in_times) return;
  engine.learning().lapack_selector().saw(p, provider, outcome.times.whole);
  engine.learning().learner().note_other();
}

}  // namespace

LapackOutcome run_lapack(Engine& engine, const LapackProblem& p) {
  if (!p.empty() && !can_do(engine, p))
    throw CpuBlasError(std::string("the CPU BLAS has no LAPACK of its own, which ") +
                       name(p.routine, p.precision) +
                       " needs: install OpenBLAS (libopenblas0-pthread on Debian and Ubuntu), or "
                       "name one with DUOBLAS_CPU_BLAS");
  Decision decision = decide(engine, p);
  const bool is_choice = decision.uses_gpu() && engine.plans().request().chooses_by_speed();
  std::optional<Reason> why_cpu;
  if (is_choice && !is_expected_to_gain(engine, p, decision)) why_cpu = Reason::routine_fastest;
  if (is_choice && !why_cpu)
    why_cpu = engine.readiness().why_not(StepLaunches(decision.steps), Patience::for_disk,
                                         [&] { return missed_seconds(engine, p, decision); });
  if (why_cpu) {
    decision.steps.clear();
    decision.who = Who::cpu;
    decision.reason = *why_cpu;
  }
  LapackOutcome did = carry_out(engine, p, decision);
  // Beside a compiler the CPU may be slow.
  if (is_choice && why_cpu != Reason::kernels_building)
    remember(engine, p, decision.uses_gpu() ? LapackProvider::ours : LapackProvider::programs, did);
  if (!did.outcome.used_gpu) {
    // Without its cores: a copy of them might find no memory, and the results are there.
    Plan of_cpu;
    of_cpu.reason = did.outcome.plan.reason;
    did.outcome.plan = std::move(of_cpu);
  }
  return did;
}

}  // namespace duoblas

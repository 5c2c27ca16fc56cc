// Runs calls of our own interface. The drop-in's choice (is_ours) compares with the
// program's library. Here that is the CPU BLAS, which the caller would have without a device.
#include <optional>
#include <string>
#include <utility>

#include <duoblas/error.hpp>

#include "engine/readiness.hpp"
#include "lapack/lapack_call.hpp"

namespace duoblas {
namespace {

void remember(Engine& engine, const LapackProblem& p, Way way, const LapackOutcome& did) {
  const Outcome& outcome = did.outcome;
  const bool as_decided =
      way == Way::job ? outcome.shows_gpu() : !outcome.used_gpu && !outcome.recovered;
  if (did.info != 0 || !as_decided || !engine.learning().is_on() || outcome.check_in_times) return;
  engine.learning().observe(class_of(p), way, outcome.times.whole);
}

}  // namespace

// The library may take half of its estimate, so ours must be expected to take less than that.
bool is_ours(Engine& engine, const LapackProblem& p, const Decision& decision) {
  const double plain = decision.estimate.cpu_seconds, ours = decision.estimate.device_seconds;
  if (plain <= 0 || ours <= 0) return false;
  if (!engine.learning().is_on()) return ours < worthwhile * plain;
  const WayEstimate ways[] = {{Way::plain, plain}, {Way::job, ours, 1 / least_of_plain}};
  return engine.learning().choose(class_of(p), ways) == Way::job;
}

LapackOutcome run_lapack(Engine& engine, const LapackProblem& p) {
  if (!p.empty() && !can_do(engine, p))
    throw CpuBlasError(std::string("the CPU BLAS has no LAPACK of its own, which ") +
                       name(p.routine, p.precision) +
                       " needs: install OpenBLAS (libopenblas0-pthread on Debian and Ubuntu), or "
                       "name one with DUOBLAS_CPU_BLAS");
  Decision decision = decide(engine, p);
  const bool is_choice = decision.uses_gpu() && engine.plans().request().chooses_by_speed();
  std::optional<Reason> why_cpu;
  if (is_choice && !is_ours(engine, p, decision)) why_cpu = Reason::routine_fastest;
  if (is_choice && !why_cpu)
    why_cpu = engine.readiness().why_not(Launches(decision.steps), Patience::for_disk, [&] {
      return engine.learning().as_seen(class_of(p), Way::job, decision.estimate).gain();
    });
  if (why_cpu) {
    decision.steps.clear();
    decision.who = Who::cpu;
    decision.reason = *why_cpu;
  }
  LapackOutcome did = carry_out(engine, p, decision);
  // Beside a compiler the CPU may be slow.
  if (is_choice && why_cpu != Reason::kernels_building)
    remember(engine, p, decision.uses_gpu() ? Way::job : Way::plain, did);
  if (!did.outcome.used_gpu) {
    // Without its cores: a copy of them might find no memory, and the results are there.
    Plan of_cpu;
    of_cpu.reason = did.outcome.plan.reason;
    did.outcome.plan = std::move(of_cpu);
  }
  return did;
}

}  // namespace duoblas

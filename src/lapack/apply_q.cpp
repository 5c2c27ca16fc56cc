// orgqr and ormqr with the reflected matrix on a device. It comes back once, when it has all
// reflectors; the CPU gathers those, panel by panel.
#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <vector>

#include "lapack/block_reflector.hpp"
#include "lapack/qr.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

// What of B has not arrived, which is as it was.
void multiply_rest(Engine& engine, LapackProblem p, std::int64_t arrived, const CpuConfig& cpu) {
  p.b = element_of(p.b, p.ldb, 0, arrived, p.precision);
  p.right_sides -= arrived;
  if (p.right_sides > 0) engine.cpu().run(p, cpu);
}

}  // namespace

Factored apply_q(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                 DeviceUpdates& device) {
  Factored did;
  const auto timed = [&](double FactorTimes::*what, auto&& work) {
    did.times.*what += seconds_of(work);
  };
  const bool is_in_a = p.routine == LapackRoutine::orgqr;
  const auto threads = qr_threads(engine, p, call.width, call.plan.cpu);
  const auto factors = device.hold(call);
  if (!factors) {
    engine.cpu().run(p, call.plan.cpu);
    return did;
  }
  // Where Q takes the reflectors' place, all of them are kept until it is there.
  std::deque<BlockReflector> kept;
  std::int64_t arrived = 0;
  const std::vector<QrStep> steps = qr_steps(p, call.width);
  bool is_gathering = false;  // half of a panel is none that could be put back
  try {
    timed(&FactorTimes::copies, [&] { factors->send(0); });
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (is_in_a || kept.empty()) kept.emplace_back(engine, p, call.width, call.plan.cpu, threads);
      kept.back().write_to(factors->reflector_memory());
      is_gathering = true;
      timed(&FactorTimes::panels, [&] { kept.back().gather(steps[i].panel); });
      is_gathering = false;
      const Interval none{steps[i].columns.first, 0}, all{0, call.problem.n};
      timed(&FactorTimes::copies, [&] {
        factors->reflect(kept.back().view(op_of_reflectors(p)));
        factors->apply(steps[i].panel, i + 1 < steps.size() ? none : all);
      });
    }
    factors->wait_for_next();
    arrived = call.problem.n;
    factors->finish();
    device.done();
    return did;
  } catch (const std::exception&) {
    if (is_gathering) throw;
    arrived = std::max(arrived, factors->abandon());
    device.failed();
  }
  if (!is_in_a) {
    multiply_rest(engine, p, arrived, call.plan.cpu);
    return did;
  }
  for (const BlockReflector& reflector : kept) reflector.restore();
  engine.cpu().run(p, call.plan.cpu);
  return did;
}

}  // namespace duoblas

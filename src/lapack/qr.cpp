// geqrf: Q R = A. A step of it, with the panel of columns first to first + width factorised:
//
//     done  | panel | next | the device's     from the panel's first row on: C -= V T^H V^H C
#include "lapack/qr.hpp"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <vector>

#include "lapack/block_reflector.hpp"
#include "lapack/division.hpp"
#include "problem/adjoint.hpp"

namespace duoblas {
namespace {

// A factorisation with a copy of the matrix on the device.
struct HeldQr {
  const LapackProblem& p;
  const DeviceFactorisation& call;
  const Op op = adjoint(p.precision);
  const std::int64_t reflectors = std::min(p.m, p.n);

  Interval panel_at(std::int64_t first) const {
    return {first, std::min(call.width, reflectors - first)};
  }
};

// The host factorises panels, the device does all updates. `panel` becomes the last factorised one,
// or {0, 0}. Returns how many of the columns behind it have arrived and are up to date. After a
// failure of the device, or if memory is short for it, the others had no update at all.
std::int64_t update_on_device(const HeldQr& qr, BlockReflector& reflector, FactorsOnDevice& factors,
                              DeviceUpdates& device, Interval& panel) {
  std::int64_t arrived = 0;
  bool is_in_panel = false;  // nobody can do it again if memory is short in it
  try {
    Interval next = qr.panel_at(0);
    factors.send(end_of(next));
    for (bool is_last = false; !is_last;) {
      // Waits for the device, which may fail.
      reflector.write_to(factors.reflector_memory());
      is_in_panel = true;
      // All panels but the first come from there.
      reflector.factorise(next, {next.first > 0 ? factors.panel() : nullptr, qr.p.m, next.first});
      is_in_panel = false;
      panel = next;
      const std::int64_t end = end_of(panel), behind = qr.p.n - end;
      is_last = behind <= resident_rest(qr.call.width) || end == qr.reflectors;
      next = is_last ? Interval{end, behind} : qr.panel_at(end);
      factors.reflect(reflector.view(qr.op));
      factors.apply(panel, next);
      factors.wait_for_next();
      if (is_last) arrived = next.count;
    }
    factors.finish();
    device.done();
  } catch (const std::exception&) {
    if (is_in_panel) throw;
    arrived = std::max(arrived, factors.abandon());
    device.failed();
  }
  return arrived;
}

}  // namespace

void factorise_qr(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                  DeviceUpdates& device) {
  const HeldQr qr{p, call};
  const CpuConfig& cpu = call.plan.cpu;
  BlockReflector reflector(engine, p, call.width, cpu,
                           QrThreads::made(engine, p, call.width, cpu, TeamShare::half));
  reflector.reserve(p.n);
  Interval panel{0, 0};
  std::int64_t arrived = 0;
  if (const auto factors = device.hold(call))
    arrived = update_on_device(qr, reflector, *factors, device, panel);
  reflector.write_to({});
  // All panels so far, in columns that have had none of them.
  if (const std::int64_t column = end_of(panel) + arrived; column < p.n && panel.count > 0) {
    LapackProblem q = p;
    q.routine = LapackRoutine::ormqr;
    q.op = qr.op;
    q.n = end_of(panel);
    q.b = element_of(p.a, p.lda, 0, column, p.precision);
    q.ldb = p.lda;
    q.right_sides = p.n - column;
    engine.cpu().run(q, cpu);
  }
  while (end_of(panel) != qr.reflectors) {
    panel = qr.panel_at(end_of(panel));
    reflector.factorise(panel);
    const std::int64_t end = end_of(panel);
    reflector.apply(qr.op,
                    {element_of(p.a, p.lda, panel.first, end, p.precision), p.lda, p.n - end});
  }
}

// orgqr and ormqr with the reflected matrix on a device. It comes back once, when it has all
// reflectors; the CPU gathers those, panel by panel.
namespace {

// What of B has not arrived, which is as it was.
void multiply_rest(Engine& engine, LapackProblem p, std::int64_t arrived, const CpuConfig& cpu) {
  p.b = element_of(p.b, p.ldb, 0, arrived, p.precision);
  p.right_sides -= arrived;
  if (p.right_sides > 0) engine.cpu().run(p, cpu);
}

}  // namespace

void apply_q(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
             DeviceUpdates& device) {
  const bool is_in_a = p.routine == LapackRoutine::orgqr;
  const auto threads = QrThreads::made(engine, p, call.width, call.plan.cpu, TeamShare::half);
  const auto factors = device.hold(call);
  if (!factors) {
    engine.cpu().run(p, call.plan.cpu);
    return;
  }
  // Where Q takes the reflectors' place, all of them are kept until it is there.
  std::deque<BlockReflector> kept;
  std::int64_t arrived = 0;
  const std::vector<QrStep> steps = qr_steps(p, call.width);
  bool is_gathering = false;  // half of a panel is none that could be put back
  try {
    factors->send(0);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (is_in_a || kept.empty()) kept.emplace_back(engine, p, call.width, call.plan.cpu, threads);
      kept.back().write_to(factors->reflector_memory());
      is_gathering = true;
      kept.back().gather(steps[i].panel);
      is_gathering = false;
      const Interval none{steps[i].columns.first, 0}, all{0, call.problem.n};
      factors->reflect(kept.back().view(op_of_reflectors(p)));
      factors->apply(steps[i].panel, i + 1 < steps.size() ? none : all);
    }
    factors->wait_for_next();
    arrived = call.problem.n;
    factors->finish();
    device.done();
    return;
  } catch (const std::exception&) {
    if (is_gathering) throw;
    arrived = std::max(arrived, factors->abandon());
    device.failed();
  }
  if (!is_in_a) return multiply_rest(engine, p, arrived, call.plan.cpu);
  for (const BlockReflector& reflector : kept) reflector.restore();
  engine.cpu().run(p, call.plan.cpu);
}

}  // namespace duoblas

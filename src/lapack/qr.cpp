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

// One factorisation on its way.
class Qr {
 public:
  Qr(Engine& engine, const LapackProblem& p, std::int64_t width, const CpuConfig& cpu)
      : engine_(engine),
        p_(p),
        width_(width),
        cpu_(cpu),
        reflector_(engine, p, width, cpu, QrThreads::made(engine, p, width, cpu, TeamShare::half)) {
    reflector_.reserve(p.n);
  }

  std::int64_t reflectors() const { return std::min(p_.m, p_.n); }
  Interval panel_at(std::int64_t first) const {
    return {first, std::min(width_, reflectors() - first)};
  }
  // The host factorises panels, the device does all updates. `panel` becomes the last factorised
  // one, or {0, 0}. Returns how many of the columns behind it have arrived and are up to date.
  // After a failure of the device, or if memory is short for it, the others had no update at all.
  std::int64_t update_on_device(FactorsOnDevice& factors, DeviceUpdates& device, Interval& panel) {
    std::int64_t arrived = 0;
    bool is_in_panel = false;  // nobody can do it again if memory is short in it
    try {
      Interval next = panel_at(0);
      factors.send(end_of(next));
      for (bool is_last = false; !is_last;) {
        // Waits for the device, which may fail.
        reflector_.write_to(factors.reflector_memory());
        is_in_panel = true;
        // All panels but the first come from there.
        const PanelSource source{next.first > 0 ? factors.panel() : nullptr, p_.m, next.first};
        reflector_.factorise(next, source);
        is_in_panel = false;
        panel = next;
        const std::int64_t end = end_of(panel), behind = p_.n - end;
        is_last = behind <= resident_rest(width_) || end == reflectors();
        next = is_last ? Interval{end, behind} : panel_at(end);
        factors.reflect(reflector_.view(adjoint(p_.precision)));
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

  // After a failure of the device, or its last panel.
  void forget_device() { reflector_.write_to({}); }

  void factorise_behind(std::int64_t end) {
    while (end != reflectors()) {
      const Interval panel = panel_at(end);
      reflector_.factorise(panel);
      end = end_of(panel);
      reflector_.apply(adjoint(p_.precision), columns(panel.first, end));
    }
  }
  // All panels so far, in columns that have had none of them.
  void catch_up(std::int64_t panels_end, std::int64_t column) {
    if (column >= p_.n || panels_end == 0) return;
    LapackProblem q = p_;
    q.routine = LapackRoutine::ormqr;
    q.op = adjoint(p_.precision);
    q.n = panels_end;
    q.b = element_of(p_.a, p_.lda, 0, column, p_.precision);
    q.ldb = p_.lda;
    q.right_sides = p_.n - column;
    engine_.cpu().run(q, cpu_);
  }

 private:
  ReflectedColumns columns(std::int64_t row, std::int64_t column) const {
    return {element_of(p_.a, p_.lda, row, column, p_.precision), p_.lda, p_.n - column};
  }

  Engine& engine_;
  const LapackProblem& p_;
  const std::int64_t width_;
  const CpuConfig cpu_;
  BlockReflector reflector_;
};

}  // namespace

void factorise_qr(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                  DeviceUpdates& device) {
  Qr qr(engine, p, call.width, call.plan.cpu);
  Interval panel{0, 0};
  std::int64_t arrived = 0;
  if (const auto factors = device.hold(call))
    arrived = qr.update_on_device(*factors, device, panel);
  qr.forget_device();
  qr.catch_up(end_of(panel), end_of(panel) + arrived);
  qr.factorise_behind(end_of(panel));
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

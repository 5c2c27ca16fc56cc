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
#include "lapack/held_matrix.hpp"
#include "problem/adjoint.hpp"
#include "timing/stopwatch.hpp"

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
        reflector_(engine, p, width, cpu, qr_threads(engine, p, width, cpu)) {
    reflector_.reserve(p.n);
  }

  std::int64_t reflectors() const { return std::min(p_.m, p_.n); }
  Interval panel_at(std::int64_t first) const {
    return {first, std::min(width_, reflectors() - first)};
  }
  void factorise(const Interval& panel) {
    timed(&FactorTimes::panels, [&] { reflector_.factorise(panel); });
  }
  // Waits for the device, which may fail.
  void before_panel(FactorsOnDevice& device) { reflector_.write_to(device.reflector_memory()); }
  // All panels but the first come from there.
  void factorise(const Interval& panel, FactorsOnDevice& device) {
    const PanelSource source{panel.first > 0 ? device.panel() : nullptr, p_.m, panel.first};
    timed(&FactorTimes::panels, [&] { reflector_.factorise(panel, source); });
  }
  std::int64_t last_panels_end() const { return reflectors(); }
  std::int64_t columns() const { return p_.n; }
  void before_update(FactorsOnDevice& device) const {
    device.reflect(reflector_.view(adjoint(p_.precision)));
  }

  // After a failure of the device, or its last panel.
  void forget_device() { reflector_.write_to({}); }

  // From the panel on, which is factorised.
  void rest(Interval panel) {
    for (;;) {
      const std::int64_t end = panel.first + panel.count;
      reflector_.apply(adjoint(p_.precision), columns(panel.first, end));
      if (end == reflectors()) return;
      panel = panel_at(end);
      factorise(panel);
    }
  }
  void factorise_behind(std::int64_t end) {
    if (end == reflectors()) return;
    const Interval panel = panel_at(end);
    factorise(panel);
    rest(panel);
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

  // Adds what `work` takes to one of the times.
  template <typename Work>
  void timed(double FactorTimes::*what, Work&& work) {
    times_.*what += seconds_of(work);
  }
  Factored factored() const { return {0, times_}; }

 private:
  ReflectedColumns columns(std::int64_t row, std::int64_t column) const {
    return {element_of(p_.a, p_.lda, row, column, p_.precision), p_.lda, p_.n - column};
  }

  Engine& engine_;
  const LapackProblem& p_;
  const std::int64_t width_;
  const CpuConfig cpu_;
  BlockReflector reflector_;
  FactorTimes times_;
};

}  // namespace

Factored factorise_qr(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                      DeviceUpdates& device) {
  Qr qr(engine, p, call.width, call.plan.cpu);
  Interval panel{0, 0};
  std::int64_t arrived = 0;
  if (const auto factors = device.hold(call))
    arrived = update_held_matrix(qr, panel, call, *factors, device);
  qr.forget_device();
  qr.catch_up(end_of(panel), end_of(panel) + arrived);
  qr.factorise_behind(end_of(panel));
  return qr.factored();
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

// geqrf: Q R = A. A step of it, with the panel of columns first to first + width factorised:
//
//     done  | panel | next | the device's     from the panel's first row on: C -= V T' V' C
#include "lapack/qr.hpp"

#include <algorithm>

#include <duoblas/error.hpp>

#include "lapack/block_reflector.hpp"
#include "lapack/division.hpp"
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
  PanelReflector view() const { return reflector_.view(Op::transpose); }

  // From the panel on, which is factorised.
  void rest(Interval panel) {
    for (;;) {
      const std::int64_t end = panel.first + panel.count;
      reflector_.apply(Op::transpose, columns(panel.first, end));
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
    if (column >= p_.n) return;
    LapackProblem q = p_;
    q.routine = LapackRoutine::ormqr;
    q.op = Op::transpose;
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
  Interval panel = qr.panel_at(0);
  qr.factorise(panel);
  const auto factors = device.hold(call);
  if (!factors) {
    qr.rest(panel);
    return qr.factored();
  }
  const auto end = [&] { return panel.first + panel.count; };
  std::int64_t arrived = 0;  // of columns behind the panel: these are up to date
  try {
    qr.timed(&FactorTimes::copies, [&] { factors->send(end()); });
    for (bool is_last = false; !is_last;) {
      is_last = p.n - end() <= resident_rest(call.width) || end() == qr.reflectors();
      const Interval next = is_last ? Interval{end(), p.n - end()} : qr.panel_at(end());
      qr.timed(&FactorTimes::copies, [&] {
        factors->reflect(qr.view());
        factors->apply(panel, next);
      });
      factors->wait_for_next();
      if (is_last) {
        arrived = next.count;
        break;
      }
      qr.factorise(next);
      panel = next;
    }
    factors->finish();
    device.done();
  } catch (const DeviceError&) {
    arrived = std::max(arrived, factors->abandon());
    device.failed();
  }
  qr.catch_up(end(), end() + arrived);
  qr.factorise_behind(end());
  return qr.factored();
}

}  // namespace duoblas

// Cholesky whose matrix the device holds for the length of the call.
#include <exception>

#include "lapack/cholesky_steps.hpp"
#include "lapack/division.hpp"
#include "lapack/factorisation.hpp"
#include "lapack/solves.hpp"

namespace duoblas {

Factored factorise_cholesky(Engine& engine, const DeviceFactorisation& call, DeviceUpdates& device,
                            SolveWithFactors* solve) {
  const LapackProblem& p = call.problem;
  Cholesky cholesky(engine, p, call.width, call.plan.cpu);
  Lines panel = cholesky.panel_at(0);
  std::int64_t done = 0;  // lines that are factorised
  bool is_up_to_date = false, is_back = false;
  const auto factors = cholesky.can_factorise_blocks() ? device.hold(call) : nullptr;
  if (factors) try {
      if (solve != nullptr) factors->keep_factors();
      cholesky.timed(&FactorTimes::copies, [&] { factors->send(0); });
      for (; !is_up_to_date; panel = cholesky.panel_at(panel.end)) {
        if (!cholesky.factorise_block(factors->panel(), panel)) {
          factors->finish();
          device.done();
          is_back = true;
          if (!cholesky.factorise_again(panel)) return cholesky.factored();
          done = panel.end;
          break;
        }
        is_up_to_date = p.n - panel.end <= cholesky.resident_rest();
        const Lines next = is_up_to_date ? Lines{panel.end, p.n} : cholesky.panel_at(panel.end);
        cholesky.timed(&FactorTimes::copies, [&] {
          factors->apply({panel.first, panel.count()}, {next.first, next.count()});
        });
        factors->wait_for_next();
        done = panel.end;
      }
      if (is_up_to_date) {
        factors->finish();
        device.done();
      }
    } catch (const std::exception&) {  // the device failed, or memory is short
      if (is_back) throw;
      is_up_to_date = false;
      cholesky.forget_info();
      factors->abandon();
      done = factors->lines_done();
      device.failed();
    }
  if (!is_up_to_date) cholesky.update_triangle({0, done}, {done, p.n});
  cholesky.factorise_rest(done);
  if (is_up_to_date && solve != nullptr && cholesky.info() == 0)
    solve_with_factors(*factors, device, *solve, [] {});
  return cholesky.factored();
}

}  // namespace duoblas

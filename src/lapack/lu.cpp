// getrf: the order of its steps (lu_steps.hpp), where the device holds the matrix and in place.
#include <algorithm>
#include <exception>
#include <utility>

#include "cpu/thread_team.hpp"
#include "lapack/device_decision.hpp"
#include "lapack/division.hpp"
#include "lapack/lu_steps.hpp"
#include "lapack/solves.hpp"

namespace duoblas {
namespace {

// The update with a first panel of this width.
GemmProblem first_update(Engine& engine, const LapackProblem& p, std::int64_t width) {
  const Lu lu(engine, p, width, {});
  const Panel panel = lu.panel_at(0);
  return lu.update(panel, end_of(panel), lu.behind(panel).columns);
}

// How wide panels are depends on how many threads make them, which is planned with an update.
std::int64_t panel_width(Engine& engine, const LapackProblem& p) {
  const std::int64_t extent = std::min(p.m, p.n);
  const bool insists = engine.plans().insists_on_gpu();
  const CpuLimits& limits = engine.cpu().limits();
  const auto with_team = [&](int threads) { return lu_panel_columns(extent, threads, insists); };
  const std::int64_t usual = with_team(1);
  if (p.n <= usual || with_team(limits.threads) == usual) return usual;
  const Plan plan = engine.plans().beside_work(first_update(engine, p, usual));
  if (!plan.uses_gpu() || copies(plan.sharing)) return usual;
  return with_team(team_size(plan.cpu, limits, TeamShare::all));
}

}  // namespace

std::vector<CallStep> lu_updates(Engine& engine, const LapackProblem& p) {
  std::vector<CallStep> updates;
  const bool forced = engine.plans().request().forces_split();
  const Lu lu(engine, p, panel_width(engine, p), {});
  for (Panel panel = lu.panel_at(0); panel.count > 0;) {
    const Block behind = lu.behind(panel);
    const Panel next = lu.panel_at(end_of(panel));
    if (behind.empty() || behind.columns <= next.count) break;
    Plan plan = engine.plans().beside_work(lu.update(panel, end_of(panel), behind.columns));
    if (!plan.uses_gpu()) break;
    const std::int64_t columns =
        device_columns({behind.rows, behind.columns, panel.count, next.count,
                        u_cost(next.count, behind.columns - next.count)},
                       plan, forced);
    if (columns == 0) break;
    updates.emplace_back(PlannedProduct{lu.update(panel, p.n - columns, columns),
                                        with_columns(std::move(plan), columns)});
    panel = next;
  }
  return updates;
}

int factorise_lu(Engine& engine, const DeviceFactorisation& call, DeviceUpdates& device,
                 SolveWithFactors* solve) {
  const LapackProblem& p = call.problem;
  Lu lu(engine, p, call.width, call.plan.cpu);
  const auto have_threads = [&] { lu.have_threads(resident_rest(call.width), TeamShare::most); };
  Panel panel{0, 0};  // panels up to its end are in the caller's memory
  std::int64_t arrived = 0;
  const auto factors = device.hold(call);
  bool has_all = false;  // the device
  // Beside panels of the device the threads have only the rest and the last swaps, and are started
  // while the device works.
  const bool starts_threads_late = factors && factors->makes_panels();
  if (!starts_threads_late) have_threads();
  if (factors) try {
      factors->send(lu.panel_at(0).count);
      Panel next = lu.panel_at(0);
      const std::int64_t rest = resident_rest(call.width, factors->makes_panels());
      for (bool is_last = false; !is_last;) {
        if (!factors->makes_panels()) lu.factorise(next, *factors);
        panel = next;
        const std::int64_t end = end_of(panel), behind = p.n - end;
        is_last = behind <= rest || end == lu.pivots();
        next = is_last ? Interval{end, behind} : lu.panel_at(end);
        factors->apply(panel, next);
        factors->wait_for_next();
        if (is_last) arrived = next.count;
      }
      if (starts_threads_late) have_threads();
      factors->finish();
      lu.note_info(factors->info());
      device.done();
      has_all = solve != nullptr;
    } catch (const std::exception&) {  // the device failed, or memory is short
      arrived = std::max(arrived, factors->abandon());
      panel = {0, factors->lines_done()};
      lu.forget_from(end_of(panel));
      lu.note_info(factors->info());
      device.failed();
    }
  if (!lu.has_threads()) have_threads();
  lu.catch_up(panel, arrived);
  if (has_all) {
    lu.factorise_rest(panel);
    const auto swap_all = [&] { lu.swap_all_done(panel, lu.pivots()); };
    if (lu.info() == 0) solve_with_factors(*factors, device, *solve, swap_all);
    swap_all();
  } else {
    lu.factorise_behind(panel);
  }
  return lu.info();
}

int factorise_lu(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
                 DeviceUpdates& device, std::size_t most_saved) {
  const PlannedProduct& first = product_at(updates, 0);
  Lu lu(engine, p, first.problem.k, first.plan.cpu);
  const bool shares = device.has_device() && !copies(first.plan.sharing);
  // Without the device its part is the CPU side's (DeviceUpdates), so of the CPU BLAS's own
  // threads; and copies have threads of their own.
  lu.have_threads(first.problem.k, shares ? TeamShare::all : TeamShare::half);
  lu.halve_panels();
  lu.divide_by(step_costs(engine, first.plan));
  Panel panel = lu.panel_at(0);
  const std::int64_t devices = p.n - first.problem.m;
  // Where the device works on copies, or has one step only, nothing is gained.
  if (shares && updates.size() > 1) lu.keep_from(devices, most_saved);
  lu.begin(panel, devices);
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const Panel next = lu.panel_at(end_of(panel));
    lu.step(panel, next, product_at(updates, i), device);
    panel = next;
  }
  lu.rest(panel);
  return lu.info();
}

}  // namespace duoblas

// decide() and carry_out() of lapack_call.hpp for getri and potri.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <variant>
#include <vector>

#include "cpu/thread_team.hpp"
#include "engine/cpu_blas.hpp"
#include "lapack/device_decision.hpp"
#include "lapack/division.hpp"
#include "lapack/inverse_steps.hpp"
#include "lapack/solves.hpp"
#include "os/page_block.hpp"
#include "problem/element_types.hpp"
#include "timing/stopwatch.hpp"

namespace duoblas {
namespace {

std::optional<DeviceFactorisation> on_device(Engine& engine, const LapackProblem& p,
                                             MatrixHome home) {
  const std::int64_t width = resident_panel_columns(p.n, engine.plans().insists_on_gpu());
  if (home == MatrixHome::in_place || p.n <= width) return {};
  return held_by_device(
      engine, home, {p, width, engine.plans().of_lapack(whole_product(p, p.n, p.n))}, [&] {
        return HostSeconds{seconds_of_blocks(p.n, width), estimated_cpu_seconds(engine, p)};
      });
}

// The device's part of each product: the last rows, which are columns of the matrix. The CPU has at
// least one row. Empty if the device is of no use.
std::vector<CallStep> inverse_updates(Engine& engine, const LapackProblem& p) {
  const bool insists = engine.plans().insists_on_gpu(),
             forced = engine.plans().request().forces_split();
  std::vector<CallStep> updates;
  bool uses_gpu = false;
  const InverseSteps steps(engine, p, panel_columns(p.n, insists), {});
  for (const GemmProblem& product : steps.products()) {
    Plan plan = engine.plans().of(product);
    std::int64_t columns = 0;
    if (plan.uses_gpu() && product.m > 1)
      columns = std::min(product.m - 1,
                         device_columns({product.n, product.m, product.k, 0}, plan, forced));
    GemmProblem part;
    if (columns > 0) {
      part = block_of(product, {product.m - columns, columns}, {0, product.n}, {0, product.k});
      plan = with_columns(std::move(plan), columns);
      uses_gpu = true;
    }
    updates.emplace_back(PlannedProduct{part, plan});
  }
  if (!uses_gpu) updates.clear();
  return updates;
}

// The largest product of each kind.
std::vector<PlannedProduct> kernels_of(const std::vector<CallStep>& updates) {
  std::vector<PlannedProduct> kernels;
  for (const CallStep& update : updates) {
    const auto* const found = std::get_if<PlannedProduct>(&update);
    if (found == nullptr || found->problem.empty()) continue;
    const PlannedProduct& part = *found;
    const auto known = std::ranges::find_if(kernels, [&](const PlannedProduct& other) {
      return other.problem.op_a == part.problem.op_a && other.problem.op_b == part.problem.op_b;
    });
    if (known == kernels.end())
      kernels.push_back(part);
    else if (flops(part.problem) > flops(known->problem))
      *known = part;
  }
  return kernels;
}

void run_in_place(Engine& engine, const LapackProblem& p, const std::vector<CallStep>& updates,
                  DeviceUpdates& device) {
  const CpuConfig cpu = kernels_of(updates).front().plan.cpu;
  InverseSteps steps(engine, p, panel_columns(p.n, engine.plans().insists_on_gpu()), cpu);
  std::size_t next = 0;
  steps.multiply_by([&](const GemmProblem& product) {
    const auto& part = std::get<PlannedProduct>(updates[next++]);
    if (part.problem.empty()) return engine.cpu().run(product, cpu);
    const GemmProblem rest =
        block_of(product, {0, product.m - part.problem.m}, {0, product.n}, {0, product.k});
    device.update(block_of(product, {rest.m, part.problem.m}, {0, product.n}, {0, product.k}),
                  part.plan, rest, [&] { engine.cpu().run(rest, cpu); });
  });
  steps.run();
}

// A copy of the stored triangle for potri. Threads make it, because new pages cost more than the
// copy (one thread took 35 ms for n = 4096).
class KeptTriangle {
 public:
  KeptTriangle(Engine& engine, const LapackProblem& p, const CpuConfig& cpu)
      : p_(p),
        memory_(static_cast<std::size_t>(p.n * (p.n + 1) / 2) * element_size(p.precision)),
        team_(team_for(cpu, engine.cpu().limits())) {}
  void keep() const {
    visit([](void* stored, void* kept, std::size_t bytes) { std::memcpy(kept, stored, bytes); });
  }
  void put_back() const {
    visit([](void* stored, void* kept, std::size_t bytes) { std::memcpy(stored, kept, bytes); });
  }

 private:
  template <typename Copy>
  void visit(Copy&& copy) const {
    constexpr std::int64_t columns_at_once = 32;
    const bool lower = p_.uplo == Uplo::lower;
    const int threads = team_->size();
    const auto visit_some = [&](int thread) {
      for (std::int64_t j = 0; j < p_.n; ++j) {
        if (j / columns_at_once % threads != thread) continue;
        const std::int64_t first = lower ? j : 0, count = lower ? p_.n - j : j + 1;
        const std::int64_t before = lower ? j * p_.n - j * (j - 1) / 2 : j * (j + 1) / 2;
        const auto size = static_cast<std::int64_t>(element_size(p_.precision));
        copy(element_of(p_.a, p_.lda, first, j, p_.precision), memory_.data() + before * size,
             static_cast<std::size_t>(count * size));
      }
    };
    team_->run(threads, std::cref(visit_some));  // takes no memory
  }
  const LapackProblem& p_;
  const PageBlock memory_;
  const std::unique_ptr<ThreadTeam> team_;
};

FactorTimes run_on_device(Engine& engine, const LapackProblem& p, const DeviceFactorisation& call,
                          DeviceUpdates& device) {
  FactorTimes times;
  const bool is_triangle = p.routine == LapackRoutine::potri;
  std::unique_ptr<KeptTriangle> kept;
  std::unique_ptr<InverseSteps> steps;
  std::unique_ptr<FactorsOnDevice> factors;
  try {
    if (is_triangle)
      kept = std::make_unique<KeptTriangle>(engine, p, call.plan.cpu);
    else
      steps = std::make_unique<InverseSteps>(engine, p, call.width, call.plan.cpu);
    factors = device.hold(call);
  } catch (const std::bad_alloc&) {
    // The CPU needs no copy.
  }
  if (!factors) {
    engine.cpu().run(p, call.plan.cpu);
    return times;
  }
  try {
    times.copies += seconds_of([&] {
      factors->send(0);
      factors->apply({}, {});
    });
    if (is_triangle) times.panels += seconds_of([&] { kept->keep(); });
    factors->wait_for_next();
    factors->finish();
    device.done();
  } catch (const std::exception&) {
    const std::int64_t arrived = factors->abandon();
    device.failed();
    if (!is_triangle) {
      steps->run_before(p.n - arrived);
      return times;
    }
    if (arrived > 0) kept->put_back();
    engine.cpu().run(p, call.plan.cpu);
    return times;
  }
  if (!is_triangle) times.panels += seconds_of([&] { steps->swap_columns(); });
  return times;
}

}  // namespace

bool has_inverse(Engine& engine, const LapackProblem& p) {
  return has_on_cpu(engine, p.routine, p.precision);
}

Decision decide_inverse(Engine& engine, const LapackProblem& p, MatrixHome home) {
  Decision decision;
  decision.reason = Reason::routine_fastest;
  if (const auto call = on_device(engine, p, home))
    decision.steps.emplace_back(*call);
  else
    decision.steps = inverse_updates(engine, p);
  decide_by_steps(decision, estimated_cpu_seconds(engine, p));
  // The first product may be too small for the device.
  if (const auto kernels = kernels_of(decision.steps); !kernels.empty()) {
    decision.plan = kernels.front().plan;
    decision.reason = decision.plan.reason;
  }
  return decision;
}

LapackOutcome carry_out_inverse(Engine& engine, const LapackProblem& p, const Decision& decision) {
  LapackOutcome did;
  did.outcome.plan.reason = decision.reason;
  did.info = first_zero(p);
  if (did.info > 0) return did;
  if (decision.steps.empty()) {
    did.info = run_on_cpu(engine, p);
    return did;
  }
  const auto* call = std::get_if<DeviceFactorisation>(&decision.steps.front());
  if (call == nullptr) {
    did.outcome = engine.carry_out(kernels_of(decision.steps), [&](DeviceUpdates& device) {
      run_in_place(engine, p, decision.steps, device);
    });
    return did;
  }
  did.outcome = carry_out_job(
      engine, *call,
      [&](DeviceUpdates& device) { did.times = run_on_device(engine, p, *call, device); },
      [&] { did.info = run_on_cpu(engine, p); });
  return did;
}

}  // namespace duoblas

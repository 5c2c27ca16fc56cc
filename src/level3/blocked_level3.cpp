#include "level3/blocked_level3.hpp"

#include <algorithm>
#include <chrono>
#include <climits>
#include <optional>

#include "level3/halving.hpp"
#include "level3/narrow_copy.hpp"
#include "level3/smallest_flops.hpp"

namespace duoblas {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// As for gemm (PieceLimits): 2^31 less a slack; 64 MiB per copy; half a second of two cores, for
// which a fork waits.
constexpr LeafLimits cpu_blas_limits = {INT_MAX - 65535, INT_MAX, 2048, 2.5e11};

// Diagonal blocks below this are the CPU's in any case: a call of the CPU BLAS for them takes less
// than the launch of the product that halving them would give.
constexpr std::int64_t smallest_halved = 128;

// Halving is to gain: products by the GPU against the CPU's, of a whole of which they are half, so
// that a product a tenth faster makes the call a twentieth faster.
constexpr double worthwhile = 0.9;
// Of the call, in all.
constexpr double least_gain_share = 0.05;
// And in seconds: after each of its own routines the CPU BLAS's idle workers spin for 0.4 ms
// (blas_instance.cpp) on cores that the GPU's side may need. On the stand-in (PoCL on one of two
// cores of an Intel Xeon) dsymm of n = 512 took 1.14 times the CPU BLAS's time where one of its two
// products had been promised a gain.
constexpr double least_gain_seconds = 0.4e-3;

// Where the GPU is insisted on, three levels: 7/8 of the work are products then. Tests and
// conformance suites have tiny matrices, large ones would have too large a rest.
constexpr std::int64_t insisted_levels = 8;
constexpr std::int64_t least_insisted = 8, most_insisted = 1024;

/// The largest order that is left to the CPU BLAS where the GPU is insisted on.
std::int64_t insisted_leaf(const Level3Problem& whole) {
  return std::clamp(order(whole) / insisted_levels, least_insisted, most_insisted);
}

/// The product that does what the call does, with whole matrices for triangles.
GemmProblem whole_product(const Level3Problem& p) {
  GemmProblem whole;
  whole.precision = p.precision;
  whole.m = updates_triangle(p.routine) ? p.n : p.m;
  whole.n = p.n;
  whole.k = updates_triangle(p.routine) ? p.k : order(p);
  whole.lda = whole.k;
  whole.ldb = whole.ldc = whole.n;
  return whole;
}

/// What the CPU BLAS loses by halving: it is slower on small matrices, and the halves' products
/// show by how much. `product` is the CPU's time for one of these.
double halving_loss(double call, double share, int products, double product) {
  return std::max(0.0, (products + 2 * share) * product - call);
}

bool gains(Engine& engine, const Level3Problem& p) {
  if (order(p) < smallest_halved) return false;
  if (flops(p) < smallest_flops(engine, p.routine, p.precision)) return false;
  double gain = 0, slowest = 0;
  int products = 0;
  for (const Step& step : halved(p, halfway(order(p)))) {
    const auto* product = std::get_if<GemmProblem>(&step);
    if (product == nullptr) continue;
    const Plan plan = engine.plan(*product);
    if (plan.strategy == Strategy::cpu) return false;
    // Plans that are not by the cost model have no estimates.
    if (plan.expected_seconds <= 0 || plan.cpu_only_seconds <= 0) return true;
    if (plan.expected_seconds >= worthwhile * plan.cpu_only_seconds) return false;
    gain += plan.cpu_only_seconds - plan.expected_seconds;
    slowest = std::max(slowest, plan.cpu_only_seconds);
    ++products;
  }
  const double call = level3_seconds_on_cpu(engine, p);
  if (call > 0) {
    const double share = flops(p) / flops(whole_product(p));
    gain -= halving_loss(call, share, products, slowest);
  }
  return gain > std::max(least_gain_seconds, least_gain_share * call);
}

/// One call on its way through the recursion.
class Blocking {
 public:
  Blocking(Engine& engine, const LeafLimits& limits, const Level3Problem& whole)
      : engine_(engine), limits_(limits) {
    if (engine.insists_on_gpu()) insisted_leaf_ = insisted_leaf(whole);
  }

  void run(const Level3Problem& p) {
    if (p.changes_nothing()) return;
    if (p.only_scales_c() && !updates_triangle(p.routine)) return scale(p);
    if (is_halved(p)) return run(halved(p, halfway(order(p))));
    leaf(p);
  }

  const Level3Report& report() const { return report_; }

 private:
  bool is_halved(const Level3Problem& p) {
    if (p.only_scales_c()) return false;
    return insisted_leaf_ ? order(p) > *insisted_leaf_ : gains(engine_, p);
  }

  void run(const Steps& steps) {
    for (const Step& step : steps) {
      if (const auto* product = std::get_if<GemmProblem>(&step))
        multiply(*product);
      else
        run(std::get<Level3Problem>(step));
    }
  }

  void multiply(const GemmProblem& product) {
    const Clock::time_point start = Clock::now();
    const CallReport did = engine_.run(product);
    if (report_.products++ == 0) report_.plan = did.plan;
    report_.recovered |= did.recovered;
    report_.used_gpu |= did.used_gpu();
    if (did.used_gpu() || did.recovered) add_won(did.plan.cpu_only_seconds, seconds_since(start));
  }

  void add_won(double cpu_only_seconds, double seconds) {
    if (cpu_only_seconds <= 0) all_are_estimated_ = false;
    report_.seconds_won.reset();
    won_ += cpu_only_seconds - seconds;
    if (all_are_estimated_) report_.seconds_won = won_;
  }

  // C = beta C; in place, C = 0.
  void scale(const Level3Problem& p) {
    GemmProblem c;
    c.precision = p.precision;
    c.m = p.m;
    c.n = p.n;
    c.alpha = 0.0;
    c.beta = is_in_place(p.routine) ? 0.0 : p.beta;
    c.c = p.c;
    c.ldc = c.ldb = p.ldc;
    c.lda = 1;
    multiply(c);
  }

  // The CPU BLAS's, in as many calls as its integers and a waiting fork ask for.
  void leaf(const Level3Problem& p) {
    const bool is_wide = widest_ld(p) > limits_.leading_dimension;
    const std::int64_t most = is_wide ? limits_.copied_extent : limits_.extent;
    if (free_extent(p) > most) return run(split_free_extent(p, free_extent(p) / 2));
    if (order(p) > most) return run(halved(p, halfway(order(p))));
    if (flops(p) > limits_.flops && !p.only_scales_c()) {
      if (free_extent(p) > order(p)) return run(split_free_extent(p, free_extent(p) / 2));
      if (order(p) > 1) return run(halved(p, halfway(order(p))));
    }
    if (!is_wide) return engine_.run_on_cpu(p);
    with_narrow_copies(p, limits_.leading_dimension,
                       [&](const Level3Problem& narrow) { engine_.run_on_cpu(narrow); });
  }

  Engine& engine_;
  const LeafLimits limits_;
  std::optional<std::int64_t> insisted_leaf_;
  Level3Report report_;
  double won_ = 0;
  bool all_are_estimated_ = true;
};

}  // namespace

std::vector<GemmProblem> products_of(Engine& engine, const Level3Problem& p) {
  if (p.empty() || p.only_scales_c() || !gains(engine, p)) return {};
  std::vector<GemmProblem> products;
  for (const Step& step : halved(p, halfway(order(p)))) {
    if (const auto* product = std::get_if<GemmProblem>(&step)) {
      products.push_back(*product);
    } else {
      const auto of_half = products_of(engine, std::get<Level3Problem>(step));
      products.insert(products.end(), of_half.begin(), of_half.end());
    }
  }
  return products;
}

bool is_worth_blocking(Engine& engine, const Level3Problem& p) {
  if (engine.insists_on_gpu()) return true;
  return !p.empty() && !p.only_scales_c() && gains(engine, p);
}

Level3Report run_level3(Engine& engine, const Level3Problem& p, const LeafLimits& limits) {
  if (p.changes_nothing()) return {};
  const Clock::time_point start = Clock::now();
  engine.require_on_cpu(p.routine, p.precision);
  Blocking blocking(engine, limits, p);
  blocking.run(p);
  Level3Report report = blocking.report();
  if (report.products == 0) report.plan.reason = "the CPU BLAS's own routine is fastest";
  report.seconds = seconds_since(start);
  return report;
}

double level3_seconds_on_cpu(Engine& engine, const Level3Problem& p) {
  const GemmProblem whole = whole_product(p);
  return flops(p) / flops(whole) * engine.plan(whole).cpu_only_seconds;
}

Level3Report run_level3(Engine& engine, const Level3Problem& p) {
  return run_level3(engine, p, cpu_blas_limits);
}

}  // namespace duoblas

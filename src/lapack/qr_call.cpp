// decide() and carry_out() of lapack_call.hpp for QR.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <optional>
#include <variant>
#include <vector>

#include "engine/cpu_blas.hpp"
#include "facts/rates.hpp"
#include "lapack/device_decision.hpp"
#include "lapack/division.hpp"
#include "lapack/qr.hpp"
#include "lapack/solves.hpp"
#include "os/page_block.hpp"
#include "problem/adjoint.hpp"
#include "problem/element_types.hpp"
#include "problem/rounding.hpp"

namespace duoblas {
namespace {

constexpr LapackRoutine needed[] = {LapackRoutine::geqrf, LapackRoutine::orgqr,
                                    LapackRoutine::ormqr, LapackRoutine::gels};

bool is_from_right(const LapackProblem& p) {
  return p.routine == LapackRoutine::ormqr && p.side == Side::right;
}

// ormqr from the right as one from the left: B op(Q) = (op(Q)^H B^H)^H, with a copy of B^H.
LapackProblem seen_from_left(const LapackProblem& p) {
  // Its columns begin at a cache line, so that copies may bypass the caches.
  constexpr std::int64_t line = 16;
  LapackProblem left = p;
  left.side = Side::left;
  left.op = p.op == Op::none ? adjoint(p.precision) : Op::none;
  left.ldb = round_up(p.m, line);
  return left;
}

// The device's part: gels is a geqrf and what follows.
LapackProblem device_part_of(LapackProblem p) {
  if (p.routine == LapackRoutine::gels) p.routine = LapackRoutine::geqrf;
  return is_from_right(p) ? seen_from_left(p) : p;
}

// What the device waits for. The panels have half the flops of a product of their width with the
// whole matrix.
double seconds_of_panels(const Engine& engine, const LapackProblem& p, std::int64_t width) {
  GemmProblem product;
  product.precision = p.precision;
  product.m = p.m;
  product.n = product.ldb = product.ldc = reflectors_of(p);
  product.k = product.lda = width;
  const double half = engine.plans().estimated_cpu_seconds(product) / 2;
  const auto columns = static_cast<double>(product.n);
  const bool has_parts = is_complex(p.precision);
  if (p.routine == LapackRoutine::geqrf)
    return (has_parts ? rates::seconds_of_complex_qr_column : rates::seconds_of_real_qr_column) *
               columns +
           rates::qr_panel_overhead * half;
  return (has_parts ? rates::seconds_of_complex_qr_triangle : rates::seconds_of_real_qr_triangle) *
             columns / static_cast<double>(width) +
         rates::qr_gather_overhead * half;
}

GemmProblem whole_product(const LapackProblem& p) {
  return whole_product(p, p.m, reflected_matrix(p).n);
}

// V^H C, half of geqrf's work: its result has a panel's width. orgqr gains nothing by smaller
// tiles, and ormqr loses 5 % (docs/experiments/factorisations.md#smaller-tiles-for-qr).
std::optional<GemmProblem> narrow_update(const LapackProblem& p, std::int64_t width) {
  if (p.routine != LapackRoutine::geqrf) return {};
  GemmProblem inner = whole_product(p);
  inner.m = reflected_matrix(p).n;
  inner.n = width;
  return inner;
}

std::optional<DeviceFactorisation> on_device(Engine& engine, const LapackProblem& p,
                                             MatrixHome home) {
  const std::int64_t width =
      resident_panel_columns(reflectors_of(p), engine.plans().insists_on_gpu());
  if (home == MatrixHome::in_place || (p.routine == LapackRoutine::geqrf && p.n <= width))
    return {};
  return held_by_device(
      engine, home,
      {reflected_matrix(p), width,
       engine.plans().of_lapack(whole_product(p), narrow_update(p, width))},
      [&] {
        return HostSeconds{seconds_of_panels(engine, p, width), estimated_cpu_seconds(engine, p)};
      });
}

// With a device, which holds the matrix for `call`; null: it does each update where that lies.
Outcome carry_out_steps(Engine& engine, const LapackProblem& p, const Decision& decision,
                        const DeviceFactorisation* call) {
  if (call == nullptr) {
    std::vector<PlannedProduct> kernels;  // of V^H C, and of C -= V W
    for (const CallStep& step : decision.steps) {
      const PlannedProduct& product = std::get<PlannedProduct>(step);
      if (!product.problem.empty() && kernels.size() < 2) kernels.push_back(product);
    }
    return engine.carry_out(kernels, [&](DeviceUpdates& device) {
      reflect_in_place(engine, p, decision.steps, device);
    });
  }
  const auto steps = [&](DeviceUpdates& device) {
    if (p.routine == LapackRoutine::geqrf)
      factorise_qr(engine, p, *call, device);
    else
      apply_q(engine, p, *call, device);
  };
  return carry_out_job(engine, *call, steps, [&] { run_on_cpu(engine, p); });
}

// The largest magnitude.
template <typename T>
double largest(const LapackProblem& matrix) {
  double most = 0;
  for (std::int64_t j = 0; j < matrix.n; ++j) {
    const T* const column =
        static_cast<const T*>(element_of(matrix.a, matrix.lda, 0, j, matrix.precision));
    for (std::int64_t i = 0; i < matrix.m; ++i) {
      const double magnitude = static_cast<double>(std::abs(column[i]));
      if (std::isnan(magnitude)) return magnitude;
      most = std::max(most, magnitude);
    }
  }
  return most;
}

// Whether LAPACK would not scale it.
template <typename T>
bool is_moderate(const LapackProblem& matrix) {
  constexpr double small = static_cast<double>(std::numeric_limits<PartOf<T>>::min()) /
                           static_cast<double>(std::numeric_limits<PartOf<T>>::epsilon());
  const double norm = largest<T>(matrix);
  return norm > small && norm < 1 / small;
}

// With A = Q R: X = inv(R) Q^H B, or of the transposed problem Q inv(R^H) B.
LapackProblem product_with_q(LapackProblem gels) {
  gels.routine = LapackRoutine::ormqr;
  gels.op = gels.op == Op::none ? adjoint(gels.precision) : Op::none;
  return gels;
}

bool is_moderate(const LapackProblem& p) {
  LapackProblem b = reflected_matrix(product_with_q(p));
  if (p.op != Op::none) b.m = p.n;
  return with_element_type(p.precision, [&](auto zero) {
    return is_moderate<decltype(zero)>(p) && is_moderate<decltype(zero)>(b);
  });
}

void fill_rows_with_zeros(const LapackProblem& p, std::int64_t first, std::int64_t end) {
  with_element_type(p.precision, [&](auto zero) {
    for (std::int64_t j = 0; j < p.right_sides; ++j)
      std::fill_n(static_cast<decltype(zero)*>(element_of(p.b, p.ldb, first, j, p.precision)),
                  end - first, zero);
  });
}

// Where memory is short, A has its factors, and B is as it was.
Outcome multiply_with_q(Engine& engine, const LapackProblem& gels) {
  const LapackProblem q = product_with_q(gels);
  const bool is_of_cpu = q.right_sides < few_right_sides && !engine.plans().insists_on_gpu();
  try {
    if (!is_of_cpu) return carry_out_qr(engine, q, decide(engine, q)).outcome;
  } catch (const std::bad_alloc&) {
    // The CPU needs none.
  }
  run_on_cpu(engine, q);
  return {};
}

// The solve after geqrf, whose outcome `did` is. Returns LAPACK's info.
int solve_least_squares(Engine& engine, const LapackProblem& p, Outcome& did) {
  const bool is_turned = p.op != Op::none;
  if (!is_turned) did.add_part(multiply_with_q(engine, p));
  if (const int zero = first_zero(p); zero != 0) return zero;
  did.add_part(solve_triangle(engine, p, Uplo::upper, is_turned ? adjoint(p.precision) : Op::none,
                              Diag::non_unit));
  if (!is_turned) return 0;
  fill_rows_with_zeros(p, p.n, p.m);  // which only the solution has
  did.add_part(multiply_with_q(engine, p));
  return 0;
}

LapackOutcome carry_out_from_right(Engine& engine, const LapackProblem& p,
                                   const Decision& decision) {
  LapackProblem left = seen_from_left(p);
  PageBlock memory;
  LapackOutcome did;
  const CpuConfig& cpu = decision.plan.cpu;
  try {
    memory =
        PageBlock(static_cast<std::size_t>(left.ldb * p.right_sides) * element_size(p.precision));
    left.b = memory.data();
    engine.cpu().run(AdjointCopy{p.precision, p.right_sides, p.m, p.b, p.ldb, left.b, left.ldb},
                     cpu);
  } catch (const std::bad_alloc&) {
    did.info = run_on_cpu(engine, p);
    return did;
  }
  did = carry_out_qr(engine, left, decision);
  engine.cpu().run(AdjointCopy{p.precision, p.m, p.right_sides, left.b, left.ldb, p.b, p.ldb}, cpu);
  return did;
}

}  // namespace

bool has_qr(Engine& engine, Precision precision) {
  return std::ranges::all_of(
      needed, [&](LapackRoutine routine) { return has_on_cpu(engine, routine, precision); });
}

Decision decide_qr(Engine& engine, const LapackProblem& p, MatrixHome home) {
  Decision decision;
  decision.reason = Reason::routine_fastest;
  if (p.routine == LapackRoutine::gels && (p.m < p.n || p.right_sides == 0)) return decision;
  const LapackProblem part = device_part_of(p);
  if (reflectors_of(part) == 0 || reflected_matrix(part).n == 0) return decision;
  if (const auto call = on_device(engine, part, home))
    decision.steps.emplace_back(*call);
  else
    decision.steps = qr_updates(engine, part);
  if (decision.steps.empty()) {
    // Why a product of as many flops is the CPU's; else it is for the panels.
    const Plan plan = engine.plans().of(whole_product(part));
    if (!plan.uses_gpu()) decision.reason = plan.reason;
  }
  decide_by_steps(decision, estimated_cpu_seconds(engine, p));
  return decision;
}

void solve_empty_least_squares(const LapackProblem& p) {
  if (p.routine == LapackRoutine::gels) fill_rows_with_zeros(p, 0, std::max(p.m, p.n));
}

LapackOutcome carry_out_qr(Engine& engine, const LapackProblem& p, const Decision& decision) {
  LapackOutcome did;
  did.outcome.plan.reason = decision.reason;
  const bool is_gels = p.routine == LapackRoutine::gels;
  if (decision.steps.empty() || (is_gels && !is_moderate(p))) {
    did.info = run_on_cpu(engine, p);
    return did;
  }
  if (is_from_right(p)) return carry_out_from_right(engine, p, decision);
  std::vector<std::byte> own_tau;
  LapackProblem part = device_part_of(p);
  std::optional<DeviceFactorisation> call;
  try {
    if (is_gels) {
      own_tau.resize(static_cast<std::size_t>(p.n) * element_size(p.precision));
      part.tau = own_tau.data();
    }
    if (const auto* decided = std::get_if<DeviceFactorisation>(&decision.steps.front())) {
      call = *decided;
      // It was decided before gels had its tau, and ormqr from the right the copy of its matrix.
      call->problem = reflected_matrix(part);
    }
  } catch (const std::bad_alloc&) {
    did.info = run_on_cpu(engine, p);
    return did;
  }
  did.outcome = carry_out_steps(engine, part, decision, call ? &*call : nullptr);
  if (is_gels) did.info = solve_least_squares(engine, part, did.outcome);
  return did;
}

}  // namespace duoblas
